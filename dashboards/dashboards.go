// Package dashboards is a Grafana dashboard and alert rules for basin's metrics, with
// the tests of these, and the test that all who export statistics say the same.
package dashboards

import _ "embed"

// Grafana is the dashboard.
//
//go:embed basin.json
var Grafana []byte

// Alerts is the alert rules.
//
//go:embed alerts.yml
var Alerts []byte
