/* storewatch FOLDER: prints the monotonic time whenever a write-ahead log in the folder is written
 * to: the moment at which a store has what was measured. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/inotify.h>

int main(int argc, char **argv) {
	static char events[65536] __attribute__((aligned(8)));
	int watch = inotify_init(), length;
	if (watch < 0 || inotify_add_watch(watch, argc > 1 ? argv[1] : ".", IN_MODIFY) < 0) {
		perror("inotify");
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((length = read(watch, events, sizeof events)) > 0) {
		struct timespec now;
		int written = 0;
		clock_gettime(CLOCK_MONOTONIC, &now);
		for (char *at = events; at < events + length;) {
			struct inotify_event *event = (struct inotify_event *)at;
			const char *end = event->len ? strstr(event->name, "-wal") : NULL;
			written |= end && end[4] == 0;
			at += sizeof *event + event->len;
		}
		if (written)
			printf("%ld.%06ld\n", now.tv_sec, now.tv_nsec / 1000);
	}
	return 0;
}
