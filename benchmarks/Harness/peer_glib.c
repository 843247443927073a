/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include <gio/gio.h>

#include "peers.h"

struct look {
	GSocketConnectable *target;
	peer_post *post;
	void *context;
};

static void network_changed(GNetworkMonitor *monitor, gboolean available,
			    gpointer context)
{
	const struct look *look = context;

	(void)available;
	look->post(look->context, g_network_monitor_can_reach(
					  monitor, look->target, NULL, NULL));
}

void peer_glib(const char *target, peer_post *post, void *context)
{
	GMainLoop *loop = g_main_loop_new(NULL, FALSE);
	struct look look = { .post = post, .context = context };
	GNetworkMonitor *monitor;

	/* Otherwise GLib asks NetworkManager or a portal, if there is one. */
	setenv("GIO_USE_NETWORK_MONITOR", "netlink", 1);
	look.target = G_SOCKET_CONNECTABLE(
		g_inet_socket_address_new_from_string(target, 80));
	monitor = g_network_monitor_get_default();
	g_signal_connect(monitor, "network-changed",
			 G_CALLBACK(network_changed), &look);
	network_changed(monitor, TRUE, &look);
	g_main_loop_run(loop);
}
