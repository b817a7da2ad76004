/* hcimon: prints every packet of the kernel's HCI monitor channel: monotonic time, controller, kind
 * (doc/btmon, opcode of the monitor header), bytes in hex. bench/trace.py reads it; btmon 5.66
 * crashes while it decodes ATT. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <sys/socket.h>

#define BTPROTO_HCI 1
#define HCI_DEV_NONE 0xffff
#define HCI_CHANNEL_MONITOR 2

struct address {
	unsigned short family, device, channel;
};

int main(void) {
	static unsigned char packet[70000];
	struct address address = {AF_BLUETOOTH, HCI_DEV_NONE, HCI_CHANNEL_MONITOR};
	int channel = socket(AF_BLUETOOTH, SOCK_RAW, BTPROTO_HCI), length;
	if (channel < 0 || bind(channel, (struct sockaddr *)&address, sizeof address)) {
		perror("monitor channel");
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((length = read(channel, packet, sizeof packet)) >= 6) {
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		printf("%ld.%06ld hci%d %d ", now.tv_sec, now.tv_nsec / 1000, packet[2] | packet[3] << 8,
		       packet[0] | packet[1] << 8);
		for (int i = 6; i < length; i++)
			printf("%02x", packet[i]);
		putchar('\n');
	}
	return 0;
}
