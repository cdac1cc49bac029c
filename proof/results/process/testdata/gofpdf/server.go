//go:build go1.25

package main

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/jung-kurt/gofpdf"
)

// The server writes invoices of 5 to 60 items.
func serve(l net.Listener) error {
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		items, err := strconv.Atoi(r.URL.Query().Get("items"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		pdf := gofpdf.New("P", "mm", "A4", "")
		pdf.SetCreationDate(time.Unix(1e9, 0))
		pdf.SetCatalogSort(true)
		pdf.SetModificationDate(time.Unix(1e9, 0))
		pdf.AddPage()
		pdf.SetFont("Arial", "B", 16)
		pdf.Cell(40, 10, "Invoice for "+r.URL.Query().Get("name"))
		pdf.Ln(12)
		pdf.SetFont("Arial", "", 10)
		for i := range items {
			pdf.CellFormat(120, 7, fmt.Sprintf("Item number %d", i), "1", 0, "", false, 0, "")
			pdf.CellFormat(40, 7, fmt.Sprintf("%d.%02d EUR", i*17%90, i*31%100), "1", 1, "R", false, 0, "")
		}
		w.Header().Set("Content-Type", "application/pdf")
		if err := pdf.Output(w); err != nil {
			panic(err)
		}
	}))
}

func connect(addr string) (request, error) {
	return overHTTP(addr, get("/?name=Example&items=5"), get("/?name=Another&items=25"), get("/?name=Third&items=60"))
}
