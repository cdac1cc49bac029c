// Package dashboards is a Grafana dashboard and alert rules for basin's metrics, with
// the tests of these, and the test that all who export statistics say the same.
package dashboards
