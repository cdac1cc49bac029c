// A connection recycles the packet that it read last; what was read is kept.
package vitess8561

import "shapes/vitess8561/conn"

type Row struct{ Values [][]byte }

func BugKept(c *conn.Conn) (*Row, error) {
	data, err := c.ReadEphemeral()
	if err != nil {
		return nil, err
	}
	row := &Row{Values: [][]byte{data[1:5]}}
	c.Recycle(data)
	return row, nil // BUG
}

func BugDeferred(c *conn.Conn) ([]byte, error) {
	data, err := c.ReadEphemeral()
	if err != nil {
		return nil, err
	}
	defer c.Recycle(data)
	return conn.Field(data), nil // BUG
}

func LegalCopied(c *conn.Conn) (*Row, error) {
	data, err := c.ReadEphemeral()
	if err != nil {
		return nil, err
	}
	row := &Row{Values: [][]byte{append([]byte(nil), data[1:5]...)}}
	c.Recycle(data)
	return row, nil
}

func LegalText(c *conn.Conn) (string, error) {
	data, err := c.ReadEphemeral()
	if err != nil {
		return "", err
	}
	defer c.Recycle(data)
	return conn.Text(data), nil
}

// Nobody recycles what is kept.
func LegalKept(c *conn.Conn) (*Row, error) {
	data, err := c.ReadEphemeral()
	if err != nil {
		return nil, err
	}
	return &Row{Values: [][]byte{conn.Field(data)}}, nil
}
