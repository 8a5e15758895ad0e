package rangeread

import (
	"slices"
	"sync"
)

// span is bytes of the file that are held. They never change.
type span struct {
	off  int64
	data []byte
}

func (s *span) end() int64 { return s.off + int64(len(s.data)) }

// cache is the bytes of a file that are held: its tail and what was prefetched.
// These are few, so they are simply looked through.
type cache struct {
	mu    sync.RWMutex
	spans []*span
	tail  *span // also one of spans; it ends with the file. nil: none
}

func (c *cache) add(spans ...*span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spans = append(c.spans, spans...)
}

// addTail holds the end of the file, unless that is held.
func (c *cache) addTail(s *span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tail == nil && len(s.data) > 0 {
		c.tail = s
		c.spans = append(c.spans, s)
	}
}

// beforeTail is what of r is not held for good.
func (c *cache) beforeTail(r Range) Range {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.tail != nil {
		r.Len = max(0, min(r.end(), c.tail.off)-r.Off)
	}
	return r
}

func (c *cache) remove(spans ...*span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spans = slices.DeleteFunc(c.spans, func(s *span) bool { return slices.Contains(spans, s) })
}

func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spans, c.tail = nil, nil
}

// copy copies what one span has from off on.
func (c *cache) copy(p []byte, off int64) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, s := range c.spans {
		if s.off <= off && off < s.end() {
			return copy(p, s.data[off-s.off:])
		}
	}
	return 0
}

func (c *cache) has(off int64) bool { return c.copy(make([]byte, 1), off) == 1 }

// covers reports whether one span has all of r.
func (c *cache) covers(r Range) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.ContainsFunc(c.spans, func(s *span) bool { return s.off <= r.Off && r.end() <= s.end() })
}

// next is where the first span behind off begins, at most end.
func (c *cache) next(off, end int64) int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, s := range c.spans {
		if s.off > off && len(s.data) > 0 {
			end = min(end, s.off)
		}
	}
	return end
}
