/* SPDX-License-Identifier: MIT */
/** The engine: states of targets from rtnetlink messages, without I/O. This
 * header isn't installed, and libreach doesn't export these functions.
 *
 * Datagrams and the time go in; requests for the kernel and changes come out.
 * The monitor (monitor.h) drives an engine with sockets. Tests, fuzzers,
 * benchmarks, and simulations drive it themselves:
 *
 *	// For each datagram that multicast delivered:
 *	reach_engine_events(engine, datagram, size);
 *	while (reach_engine_requests(engine, buffer, sizeof(buffer), &n) == 0 &&
 *	       n > 0) {
 *		// Send n bytes, and for each datagram that comes back:
 *		reach_engine_answers(engine, datagram, size);
 *	}
 *	reach_engine_publish(engine);
 *	while (reach_engine_next(engine, &change) == 1)
 *		printf("%#x\n", change.state.flags);
 *
 * After the last answer, and before reach_engine_publish(), receive events
 * until none is left: a state is correct only if the last lookup is newer than
 * the last event.
 *
 * Any thread may use an engine, one at a time; engines share nothing. Errors
 * are negative errno values; out-parameters are untouched on failure. */
#ifndef REACH_INTERNAL_ENGINE_H
#define REACH_INTERNAL_ENGINE_H

#include <reach/explanation.h>
#include <reach/export.h>
#include <reach/flags.h>
#include <reach/interface.h>
#include <reach/monitor.h>
#include <reach/target.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/** Creates an engine. Its first requests are dumps of links and addresses. The
 * caller owns it, and releases it with reach_engine_destroy(). @return 0 or
 * -ENOMEM. */
int reach_engine_create(struct reach_engine **ret);

/** Frees @p engine and everything in it; NULL is allowed. */
void reach_engine_destroy(struct reach_engine *engine);

/** Adds a target, as reach_monitor_add() does; names are resolved by the
 * caller. */
int reach_engine_add(struct reach_engine *engine,
		     const struct reach_target *target, uint64_t *ret);

/** Removes a target, as reach_monitor_remove() does. */
int reach_engine_remove(struct reach_engine *engine, uint64_t id);

/** Replaces the probes of REACH_TARGET_INTERNET: see `probes` of struct
 * reach_monitor_options.
 *
 * @param count  1 to REACH_PROBES_MAX; 0 restores the built-in set.
 * @return 0; -EINVAL for a bad count or an address whose `reserved` is not 0;
 *         -EAFNOSUPPORT for a bad family; -ENOMEM: call it again. */
int reach_engine_set_probes(struct reach_engine *engine,
			    const struct reach_address *probes, size_t count);

/** Applies a datagram of multicast events, @p size bytes aligned to 4, and
 * marks the targets that they affect. Check first that the kernel sent it. A
 * malformed message is counted, and treated as a loss. @return 0, -EINVAL for a
 * bad argument, or -ENOMEM. Both errors count as losses. */
int reach_engine_events(struct reach_engine *engine, const void *bytes,
			size_t size);

/** Repairs a loss of events (ENOBUFS, MSG_TRUNC): dumps links and addresses and
 * looks up every target again. Drain the socket before the call: until then the
 * kernel queues no events. */
void reach_engine_overrun(struct reach_engine *engine);

/** Looks up every target again: see reach_monitor_refresh(). */
void reach_engine_refresh(struct reach_engine *engine);

/** Sets the time to @p now, nanoseconds of CLOCK_MONOTONIC, and marks targets
 * whose routes or back-offs have expired. */
void reach_engine_clock(struct reach_engine *engine, int64_t now);

/** When to call reach_engine_clock() next, in nanoseconds of CLOCK_MONOTONIC;
 * INT64_MAX for never. */
int64_t reach_engine_deadline(const struct reach_engine *engine);

/** Writes the next batch of requests. Send it with one send() on an rtnetlink
 * socket that serves nothing else, with NETLINK_GET_STRICT_CHK
 * set. Writes nothing if no target is marked, or while answers
 * to the last batch are missing.
 *
 * @param[out] buffer   aligned to 4 bytes.
 * @param      size     bytes of @p buffer, at least REACH_REQUESTS_SIZE.
 * @param[out] written  bytes to send; 0 for none.
 * @return 0, or -EINVAL if @p size is too small. */
int reach_engine_requests(struct reach_engine *engine, void *buffer,
			  size_t size, size_t *written);

/** Smallest buffer for reach_engine_requests(), in bytes. */
#define REACH_REQUESTS_SIZE 16384

/** Applies a datagram of answers of @p size bytes, aligned to 4. Answers whose
 * sequence number is not one of the last batch are ignored. @return 0, -EINVAL
 * for a bad argument, or -ENOMEM. */
int reach_engine_answers(struct reach_engine *engine, const void *bytes,
			 size_t size);

/** A request for the source address that the kernel chooses for an unbound
 * socket. */
struct reach_source_request {
	/** IPv6 link-local addresses have a scope id. */
	struct reach_address destination;
	/** Interface that the target is bound to (SO_BINDTODEVICE), or 0. */
	uint32_t interface_index;
	/** SO_MARK. */
	uint32_t mark;
	/** Owner of the socket (fchown()), or REACH_UID_CALLER. */
	uint32_t uid;
};

/** Takes the next request for a source. Call it when no answer is missing,
 * before the next reach_engine_requests(). If an IPv6 lookup fails, the kernel
 * looks up again with a source of its choice (ip6_dst_lookup_tail(),
 * net/ipv6/ip6_output.c). Find that source with connect() and getsockname() on
 * an unbound UDP socket; nothing is sent. A target bound to a VRF needs such a
 * source even if it has a route, and so does a route without a source (gVisor).
 * If you skip these requests, verdicts hold only where no rule or route selects
 * by source, no target is bound to a VRF, and lookups name a source.
 *
 * @return 1 for a request, 0 when there is none. */
int reach_engine_wants_source(struct reach_engine *engine,
			      struct reach_source_request *ret);

/** Answers the request that reach_engine_wants_source() has returned last.
 *
 * @param source  the source, of the destination's family, or NULL. 0.0.0.0 is
 *                none.
 * @param error   the negative errno of connect() if there is no source, else
 *                0. */
void reach_engine_set_source(struct reach_engine *engine,
			     const struct reach_address *source, int error);

/** How many answers to the last batch are missing. */
size_t reach_engine_pending(const struct reach_engine *engine);

/** Stops waiting for missing answers. Call it after ENOBUFS or a failed send.
 * The requests are sent again, with a back-off if losses repeat. */
void reach_engine_answers_lost(struct reach_engine *engine);

/** Queues a change for every target whose state differs from the last reported
 * one; enum reach_report defines the difference. @return 1 if changes are
 * queued, else 0. */
int reach_engine_publish(struct reach_engine *engine);

/** Takes the next change, as reach_monitor_next() does. */
int reach_engine_next(struct reach_engine *engine, struct reach_change *change);

/** Copies the latest state of a target, as reach_monitor_state() does. */
int reach_engine_state(const struct reach_engine *engine, uint64_t id,
		       struct reach_state *state);

/** Explains the state that reach_engine_state() returns, from the engine's
 * tables. The explanation lacks policy rules. Parameters and result as for
 * reach_monitor_explain(), which adds them. */
int reach_engine_explain(const struct reach_engine *engine, uint64_t id,
			 uint32_t position, struct reach_explanation *ret);

/** The next interface, as reach_monitor_interface() finds it. */
int reach_engine_interface(const struct reach_engine *engine, uint32_t after,
			   struct reach_interface *ret);

/** An address of an interface, as reach_monitor_interface_address() does. */
int reach_engine_interface_address(const struct reach_engine *engine,
				   uint32_t index, size_t position,
				   struct reach_interface_address *ret);

/** Sets the addresses of a name. The engine does not resolve names itself.
 *
 * @param addresses  @p count addresses, best first, copied; those past
 *                   REACH_ADDRESSES_MAX are dropped. An empty list means
 *                   REACH_REASON_NO_ADDRESS.
 * @return 0, -ENOENT for an unknown id, -EINVAL if the target is not a name or
 *         an address has a `reserved` that is not 0, -ENOMEM. */
int reach_engine_resolved(struct reach_engine *engine, uint64_t id,
			  const struct reach_address *addresses, size_t count);

/**
 * Records that a name could not be resolved. Definite answers remove the name's
 * addresses. Failures keep them, and set the reason only if there are none.
 *
 * @param error  -ENOENT: the name does not exist (REACH_REASON_NO_SUCH_NAME);
 *               -ENODATA: it has no address (REACH_REASON_NO_ADDRESS); both are
 *               definite. -ENETUNREACH, -ENETDOWN: no name server can be
 *               reached (REACH_REASON_NO_NETWORK). -EMFILE, -ENFILE, -ENOMEM:
 *               the resolver lacks resources (REACH_REASON_RESOLVER_FAILED,
 *               with `error`). Any other negative errno: the resolver failed
 *               (REACH_REASON_RESOLVER_FAILED, or REACH_REASON_NO_NETWORK while
 *               no interface but loopback is usable).
 * @return 0, -ENOENT for an unknown id, -EINVAL if the target is not a name or
 *         @p error is not negative, -ENOMEM. */
int reach_engine_resolution_failed(struct reach_engine *engine, uint64_t id,
				   int error);

/** Index of the next interface whose class depends on sysfs, or 0. Answer each
 * with reach_engine_set_evidence(), even without evidence. An interface is
 * returned once, and again after its name, kind, type, or hardware address
 * changes. */
uint32_t reach_engine_wants_evidence(struct reach_engine *engine);

/** Sets the evidence of interface @p index, from sysfs.
 *
 * @param devtype   DEVTYPE of its uevent file, copied and cut to 31 bytes; "" if
 *                  the file has none; NULL if there is no evidence at all.
 * @param driver    name of the driver that device/driver links to, or "";
 *                  likewise. Not read without @p devtype.
 * @param wireless  1 if phy80211 or wireless/ exists, else 0.
 * @return 0, or -ENOENT for an unknown interface. */
int reach_engine_set_evidence(struct reach_engine *engine, uint32_t index,
			      const char *devtype, const char *driver,
			      int wireless);

/** Replaces the list of facts about interfaces, as reach_monitor_set_facts()
 * does. Sends no lookups. */
int reach_engine_set_facts(struct reach_engine *engine,
			   const struct reach_interface_facts *facts,
			   size_t count);

/** Copies the counters, as reach_monitor_stats() does; those that only a monitor
 * can count are 0. */
int reach_engine_stats(const struct reach_engine *engine,
		       struct reach_stats *ret);

#pragma GCC visibility pop

#endif
