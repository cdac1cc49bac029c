package side

type Bytes = []byte
