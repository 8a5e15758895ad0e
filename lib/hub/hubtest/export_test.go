package hubtest

import "encoding/json"

// HaveObjects puts the objects of a batch answer into the store, without bytes.
func (h *Hub) HaveObjects(batch []byte) {
	var answer struct{ Objects []batchObject }
	_ = json.Unmarshal(batch, &answer)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, o := range answer.Objects {
		h.store.objects[o.Oid] = &object{size: o.Size, discarded: true}
	}
}
