//go:build go1.25

package main

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/jung-kurt/gofpdf"
)

// The server writes invoices.
func serve(l net.Listener) error {
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pdf := gofpdf.New("P", "mm", "A4", "")
		pdf.SetCreationDate(time.Unix(1e9, 0))
		pdf.SetModificationDate(time.Unix(1e9, 0))
		pdf.AddPage()
		pdf.SetFont("Arial", "B", 16)
		pdf.Cell(40, 10, "Invoice for "+r.URL.Query().Get("name"))
		pdf.Ln(12)
		pdf.SetFont("Arial", "", 10)
		for i := range 25 {
			pdf.CellFormat(120, 7, fmt.Sprintf("Item number %d", i), "1", 0, "", false, 0, "")
			pdf.CellFormat(40, 7, fmt.Sprintf("%d.%02d EUR", i*17%90, i*31%100), "1", 1, "R", false, 0, "")
		}
		w.Header().Set("Content-Type", "application/pdf")
		if err := pdf.Output(w); err != nil {
			panic(err)
		}
	}))
}

func connect(addr string) (func() (int, error), error) {
	return overHTTP(addr, get("/?name=Example"))
}
