// Package jsonapi is an HTTP handler that reads and writes JSON in recycled memory.
package jsonapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/basin-go/basin"
)

// An Order is a request of a client, and a Total the response.
type (
	Order struct {
		Items []struct {
			Name  string `json:"name"`
			Cents int    `json:"cents"`
			Count int    `json:"count"`
		} `json:"items"`
	}
	Total struct {
		Cents int `json:"cents"`
	}
)

const maxBody = 1 << 20

// Add answers an Order with its Total.
func Add(w http.ResponseWriter, r *http.Request) {
	body, err := basin.Default().ReadAllSize(http.MaxBytesReader(w, r.Body, maxBody), r.ContentLength)
	if err != nil {
		status := http.StatusBadRequest
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, err.Error(), status)
		return // ReadAllSize has put its slice
	}
	defer basin.Put(body)
	var order Order
	if err := json.Unmarshal(body, &order); err != nil { // copies strings out of body
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var total Total
	for _, item := range order.Items {
		total.Cents += item.Cents * item.Count
	}

	// The answer is complete before its first byte is sent, so an error can
	// still be reported.
	answer := basin.GetBuffer()
	defer basin.PutBuffer(answer)
	if err := json.NewEncoder(answer).Encode(total); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(answer.Len()))
	answer.WriteTo(w) // an error means that the client has gone
}
