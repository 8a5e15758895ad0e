package parquetread

import (
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/format"
)

// Cursor goes through one column, a row group at a time. It holds one page in
// memory, and a dictionary where the column has one.
type Cursor struct {
	file   *File
	column Column
	pages  pages

	page   []byte // levels and values
	levels hybrid // of an optional column: 1 for a value, 0 for null
	values decoder
	inPage int64 // values left in the page

	dictPage []byte
	dict     dictionary
	hasDict  bool
}

// Cursor returns a cursor for a column of f. It must be given a row group by
// [Cursor.Open] first, and closed after use, for all cursors of a file share a
// limited memory.
func (f *File) Cursor(c Column) *Cursor { return &Cursor{file: f, column: c} }

// Open goes to the first row of a row group.
func (c *Cursor) Open(group int) {
	c.pages.open(c.file, group, c.column)
	c.inPage, c.hasDict = 0, false
}

// Close gives the cursor's memory back to the file. The cursor can be opened
// again.
func (c *Cursor) Close() {
	c.file.memory += int64(cap(c.page) + cap(c.dictPage))
	c.page, c.dictPage, c.inPage, c.hasDict, c.values = nil, nil, 0, false, nil
	c.pages.values = 0
}

// Next returns the value of the next row.
func (c *Cursor) Next() (v Value, err error) {
	defer recovered(&err)
	for c.inPage == 0 {
		if _, err := c.load(0); err != nil {
			return v, c.fail(err)
		}
	}
	c.inPage--
	if c.column.Optional {
		level, err := c.levels.next()
		if err == nil && level > 1 {
			err = fmt.Errorf("level %d", level)
		}
		if err != nil || level == 0 {
			return Value{Null: true}, c.fail(err)
		}
	}
	v, err = c.values.next()
	return v, c.fail(err)
}

// Skip moves n rows on. Pages that are skipped as a whole are not decoded.
func (c *Cursor) Skip(n int64) (err error) {
	defer recovered(&err)
	for n > 0 {
		if c.inPage == 0 {
			skipped, err := c.load(n)
			if err != nil {
				return c.fail(err)
			}
			n -= skipped
			continue
		}
		if _, err := c.Next(); err != nil {
			return err
		}
		n--
	}
	return nil
}

// load goes to the next page with values. A data page of at most skip values is
// passed over; load returns how many those were.
func (c *Cursor) load(skip int64) (int64, error) {
	if c.pages.values == 0 {
		return 0, errors.New("it has no more rows")
	}
	header, err := c.pages.next()
	if err != nil {
		return 0, err
	}
	if header.Type != format.DictionaryPage {
		if n, _ := pageValues(header); n <= skip {
			return n, c.pages.skip(header)
		}
	}
	body, err := c.pages.read(header)
	if err != nil {
		return 0, err
	}
	if header.Type == format.DictionaryPage {
		err = c.loadDictionary(header, body)
	} else {
		err = c.loadPage(header, body)
	}
	if err != nil {
		err = c.pages.fail(err)
	}
	return 0, err
}

func (c *Cursor) loadDictionary(header *format.PageHeader, body []byte) error {
	page, err := c.file.resize(c.dictPage, int(header.UncompressedPageSize))
	if err != nil {
		return err
	}
	c.dictPage = page
	if err := c.file.unpacker.unpack(c.pages.chunk.Codec, page, body); err != nil {
		return err
	}
	c.hasDict = true
	return c.dict.load(page, int(header.DictionaryPageHeader.V.NumValues), c.column.physical)
}

func (c *Cursor) loadPage(header *format.PageHeader, body []byte) error {
	levels, values, page, err := c.pages.unpack(header, body, c.page, c.column.Optional)
	c.page = page
	if err != nil {
		return err
	}
	encoding := header.DataPageHeader.V.Encoding
	if header.Type == format.DataPageV2 {
		encoding = header.DataPageHeaderV2.V.Encoding
	}
	var dict *dictionary
	if c.hasDict {
		dict = &c.dict
	}
	if c.values, err = newDecoder(encoding, c.column.physical, values, dict); err != nil {
		return err
	}
	c.levels = hybrid{rest: levels, width: 1}
	c.inPage, err = pageValues(header)
	return err
}

func (c *Cursor) fail(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("column %s: %w", c.column.Name, err)
}

// Check reads every page of every column and compares sizes, numbers of values
// and checksums with what is announced. Nothing is unpacked.
func (f *File) Check() (err error) {
	defer recovered(&err)
	var p pages
	for group := range f.Groups() {
		for _, c := range f.columns {
			for p.open(f, group, c); p.left > 0; {
				header, err := p.next()
				if err == nil {
					_, err = p.read(header)
				}
				if err != nil {
					return fmt.Errorf("row group %d: column %s: %w", group, c.Name, err)
				}
			}
			if p.values != 0 {
				return fmt.Errorf("row group %d: column %s: %d values are missing", group, c.Name, p.values)
			}
		}
	}
	return nil
}
