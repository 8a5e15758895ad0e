package transporttest

import (
	"context"
	"net"
)

// Memory is a listener whose connections are pipes: thousands of runs a second
// would use up the ports of the loopback.
type Memory struct {
	conns chan net.Conn
	ctx   context.Context
	close context.CancelFunc
}

// NewMemory is a network with nobody on it.
func NewMemory() Memory {
	ctx, cancel := context.WithCancel(context.Background())
	return Memory{make(chan net.Conn), ctx, cancel}
}

func (m Memory) Accept() (net.Conn, error) {
	select {
	case conn := <-m.conns:
		return conn, nil
	case <-m.ctx.Done():
		return nil, net.ErrClosed
	}
}

func (m Memory) Close() error { m.close(); return nil }

func (m Memory) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// Dial is a connection to whoever serves, whatever the address.
func (m Memory) Dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	m.conns <- server
	return client, nil
}
