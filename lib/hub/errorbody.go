package hub

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxErrorBody is how many bytes of an answer that reports a failure are read.
const maxErrorBody = 64 << 10

// maxErrorText is how many bytes of it are shown.
const maxErrorText = 600

// errorBody is what the body of a failed answer says.
type errorBody struct {
	code string // of a store, such as "AccessDenied"
	text string // for people, one line; "" if the body says nothing to them
}

// parseErrorBody reads the shapes in which hub, store and CDN report failures:
//
//	{"error":"text"}  {"error":["a","b"]}  {"errors":[{"message":"text"}]}
//	{"error":"code","error_description":"text"}  {"message":"text"}
//	<Error><Code>code</Code><Message>text</Message></Error>
//	plain text
//
// A page of HTML says nothing.
func parseErrorBody(contentType string, body []byte) errorBody {
	body = bytes.TrimSpace(body)
	switch {
	case len(body) == 0:
		return errorBody{}
	case body[0] == '{':
		return errorBody{text: jsonErrorText(body)}
	case body[0] == '<':
		return xmlError(body)
	case strings.Contains(contentType, "html") || !utf8.Valid(body):
		return errorBody{}
	}
	return errorBody{text: oneLine(string(body))}
}

func jsonErrorText(body []byte) string {
	var answer struct {
		Error       json.RawMessage `json:"error"`
		Description json.RawMessage `json:"error_description"`
		Errors      json.RawMessage `json:"errors"`
		Message     json.RawMessage `json:"message"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return ""
	}
	var texts []string
	for _, part := range []json.RawMessage{answer.Error, answer.Description, answer.Errors, answer.Message} {
		texts = append(texts, messages(part)...)
	}
	return oneLine(joinDistinct(texts))
}

// messages reads a string, an object with a "message", or an array of these.
func messages(part json.RawMessage) []string {
	var text string
	if json.Unmarshal(part, &text) == nil {
		return []string{text}
	}
	var object struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(part, &object) == nil {
		return []string{object.Message}
	}
	var items []json.RawMessage
	if json.Unmarshal(part, &items) != nil {
		return nil
	}
	var texts []string
	for _, item := range items {
		if len(item) > 0 && item[0] != '[' {
			texts = append(texts, messages(item)...)
		}
	}
	return texts
}

func xmlError(body []byte) errorBody {
	var answer struct {
		XMLName xml.Name `xml:"Error"`
		Code    string   `xml:"Code"`
		Message string   `xml:"Message"`
	}
	if xml.Unmarshal(body, &answer) != nil {
		return errorBody{}
	}
	return errorBody{code: oneLine(answer.Code), text: oneLine(joinDistinct([]string{answer.Code, answer.Message}))}
}

// joinDistinct leaves out texts that an earlier one says already.
func joinDistinct(texts []string) string {
	var joined string
	for _, text := range texts {
		text = strings.TrimSpace(text)
		switch {
		case text == "" || strings.Contains(joined, text):
		case joined == "":
			joined = text
		default:
			joined += ": " + text
		}
	}
	return joined
}

// oneLine makes a text of a server fit for a message: no control characters, not
// too long.
func oneLine(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "…"
	}
	return text
}
