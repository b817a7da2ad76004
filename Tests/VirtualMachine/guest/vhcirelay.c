/* vhcirelay PORT: gives the kernel a Bluetooth controller (/dev/vhci) whose other end is the H4 byte
 * stream of a virtio-serial port. vhci takes and gives exactly one packet a call, so the stream is
 * cut into packets here. SIGUSR1 unplugs the controller, SIGUSR2 plugs it in again. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t plugged = 1;

static void on_signal(int number) { plugged = number == SIGUSR2; }

static void fail(const char *what) {
	perror(what);
	exit(1);
}

static int plug(void) {
	unsigned char create[2] = {0xff, 0x00}, answer[260];
	int vhci = open("/dev/vhci", O_RDWR);
	if (vhci < 0 || write(vhci, create, 2) != 2 || read(vhci, answer, sizeof answer) != 4)
		fail("/dev/vhci");
	return vhci;
}

static void send_all(int port, const unsigned char *bytes, int count) {
	while (count > 0) {
		int written = write(port, bytes, count);
		if (written < 0) {
			struct pollfd room = {port, POLLOUT, 0};
			if (errno != EINTR && errno != EAGAIN)
				fail("write to port");
			poll(&room, 1, 1000);
			continue;
		}
		bytes += written;
		count -= written;
	}
}

/* The length of the packet that begins here; 0 if more bytes are needed to tell, -1 for no packet. */
static int packet_length(const unsigned char *bytes, int count) {
	switch (count > 0 ? bytes[0] : 0xff) {
	case 0x01: /* command */
	case 0x03: /* SCO */
		return count < 4 ? 0 : 4 + bytes[3];
	case 0x02: /* ACL */
		return count < 5 ? 0 : 5 + (bytes[3] | bytes[4] << 8);
	case 0x04: /* event */
		return count < 3 ? 0 : 3 + bytes[2];
	case 0x05: /* ISO */
		return count < 5 ? 0 : 5 + ((bytes[3] | bytes[4] << 8) & 0x3fff);
	default:
		return count > 0 ? -1 : 0;
	}
}

static int deliver(int vhci, unsigned char *stream, int count) {
	int length;
	while ((length = packet_length(stream, count)) != 0 && length <= count) {
		if (length < 0) {
			fprintf(stderr, "vhcirelay: no packet begins with %02x\n", stream[0]);
			length = 1;
		} else if (vhci >= 0 && write(vhci, stream, length) != length) {
			perror("write to vhci");
		}
		memmove(stream, stream + length, count -= length);
	}
	return count;
}

int main(int argc, char **argv) {
	static unsigned char stream[65536], packet[4096];
	int count = 0, port = open(argc > 1 ? argv[1] : "", O_RDWR | O_NOCTTY), vhci = plug();
	struct sigaction action = {.sa_handler = on_signal};
	if (port < 0)
		fail("port");
	sigaction(SIGUSR1, &action, 0);
	sigaction(SIGUSR2, &action, 0);
	for (;;) {
		if (!plugged && vhci >= 0) {
			close(vhci);
			vhci = -1;
		} else if (plugged && vhci < 0) {
			vhci = plug();
		}
		struct pollfd ends[2] = {{port, POLLIN, 0}, {vhci, POLLIN, 0}};
		/* The time-out: a signal that comes just before the call is seen soon. */
		if (poll(ends, 2, 200) <= 0)
			continue;
		if (ends[1].revents & POLLIN) {
			int length = read(vhci, packet, sizeof packet);
			if (length > 0)
				send_all(port, packet, length);
		}
		if (ends[0].revents & POLLIN) {
			int length = read(port, stream + count, sizeof stream - count);
			if (length > 0)
				count = deliver(vhci, stream, count + length);
		} else if (ends[0].revents & (POLLHUP | POLLERR)) {
			usleep(100000); /* the other end is not open yet */
		}
	}
}
