//go:build go1.25

package basinhttp

import (
	"net/http"
	"strconv"

	"github.com/basin-go/basin/basinexport"
)

// serveTrim serves a POST with trim.
func (h *handler) serveTrim(w http.ResponseWriter, r *http.Request) {
	switch {
	case !h.allowTrim:
		http.Error(w, "basin: this program does not allow trimming its pools; see basinhttp.AllowTrim", http.StatusForbidden)
		return
	case new(http.CrossOriginProtection).Check(r) != nil:
		http.Error(w, "basin: pools are not trimmed on behalf of another site", http.StatusForbidden)
		return
	}
	which := r.URL.Query().Get("trim")
	if which == "all" {
		for _, s := range basinexport.Append(nil) {
			basinexport.Trim(s.ID)
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	id, err := strconv.ParseUint(which, 10, 64)
	switch {
	case err != nil:
		http.Error(w, "basin: trim must be the ID of a pool, or all", http.StatusBadRequest)
	case !basinexport.Trim(id):
		http.Error(w, "basin: there is no such pool, or it is gone", http.StatusNotFound)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}
