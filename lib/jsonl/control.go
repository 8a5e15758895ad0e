package jsonl

import (
	"bytes"
	"encoding/json"
	"fmt"

	jsoniter "github.com/json-iterator/go"
)

// End is the line {"_end":{…}} that closes a whole stream of records or rows.
// Counts are of the whole archive, not of what a filter let through.
type End struct {
	WARCFilename string `json:"warc_filename"`
	// Bytes is the length of the archive as stored.
	Bytes int64 `json:"bytes"`
	// Members is the number of gzip members that hold something; 0 for an
	// uncompressed archive.
	Members   int64 `json:"members"`
	Records   int64 `json:"records"`
	Responses int64 `json:"responses"`
	// Damaged is the number of places where the archive itself is damaged.
	Damaged int64 `json:"damaged"`
	// Filtered says that the stream holds less than the archive does.
	Filtered bool `json:"filtered"`
	// Cut says that an archive ended inside a record, and that nobody said that
	// this may be.
	Cut bool `json:"cut,omitempty"`
	// Rows is the number of index rows before this line; nil in a record stream.
	Rows *int64 `json:"rows,omitempty"`
	// Skipped is the number of responses that gave no row though they should.
	Skipped int64 `json:"skipped,omitempty"`
}

// Fault is the line {"_error":{…}} that closes a stream which ended badly.
type Fault struct {
	Stage   string `json:"stage"`
	Message string `json:"message"`
	// Offset is the byte offset in the archive, where one is known.
	Offset int64 `json:"offset"`
}

func (f *Fault) Error() string { return fmt.Sprintf("%s failed upstream: %s", f.Stage, f.Message) }

// AppendEnd appends the line of e, without a newline.
func AppendEnd(dst []byte, e End) []byte { return appendControl(dst, "_end", e) }

// AppendFault appends the line of f, without a newline.
func AppendFault(dst []byte, f Fault) []byte { return appendControl(dst, "_error", f) }

func appendControl(dst []byte, key string, value any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic(err) // both structs hold only strings, integers and a bool
	}
	dst = append(dst, `{"`...)
	dst = append(append(dst, key...), `":`...)
	return append(append(dst, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...), '}')
}

// Control recognises a control line. It returns nil, nil for any other line,
// and an error for a line that starts as a control line but is none.
func Control(line []byte) (*End, *Fault, error) {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte("{"))
	rest = bytes.TrimLeft(rest, " \t")
	if !ok || !bytes.HasPrefix(rest, []byte(`"_e`)) {
		return nil, nil, nil
	}
	var control struct {
		End   *End   `json:"_end"`
		Fault *Fault `json:"_error"`
	}
	if !bytes.HasPrefix(rest, []byte(`"_end"`)) && !bytes.HasPrefix(rest, []byte(`"_error"`)) {
		return nil, nil, nil
	}
	if err := jsoniter.ConfigCompatibleWithStandardLibrary.Unmarshal(line, &control); err != nil {
		return nil, nil, fmt.Errorf("control line is not valid: %w", err)
	}
	if control.End == nil && control.Fault == nil {
		return nil, nil, fmt.Errorf("control line is not valid: its value is null")
	}
	return control.End, control.Fault, nil
}
