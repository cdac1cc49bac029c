// Package golangci is the checks of basin vet as a module plugin of golangci-lint.
package golangci

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/basin-go/basin/vet"
	"github.com/basin-go/basin/vet/internal/findings"
)

func init() { register.Plugin("basin", New) }

// Settings has the linter's settings in the configuration of golangci-lint.
type Settings struct {
	All       bool `json:"all"`       // run the opt-in checks too
	Generated bool `json:"generated"` // report findings in generated files
}

type plugin struct{ settings Settings }

// New makes the plugin.
func New(settings any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](settings)
	if err != nil {
		return nil, err
	}
	return plugin{s}, nil
}

func (p plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	findings.Generated = p.settings.Generated
	if p.settings.All {
		return vet.All(), nil
	}
	return vet.Analyzers(), nil
}

func (p plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
