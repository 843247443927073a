/* SPDX-License-Identifier: MIT */
/**
 * The engine: what events mean for targets, without any I/O.
 *
 * Bytes and the clock go in; questions for the kernel and changes come out.
 * The monitor (monitor.h) drives one with real sockets; tests, fuzzers and
 * programs with a transport of their own drive it by hand:
 *
 *	reach_engine_events(e, datagram, size);      what multicast delivered
 *	while (reach_engine_requests(e, buf, sizeof buf, &n) == 0 && n > 0) {
 *		...send n bytes, and for each datagram that comes back:
 *		reach_engine_answers(e, datagram, size);
 *	}
 *	reach_engine_publish(e);
 *	while (reach_engine_next(e, &change) == 1)
 *		...
 *
 * One thread at a time may use an engine; two engines share nothing. Errors
 * are negative errno values; out-parameters are untouched on failure.
 */
#ifndef REACH_ENGINE_H
#define REACH_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include <reach/export.h>
#include <reach/interface.h>
#include <reach/target.h>

#ifdef __cplusplus
extern "C" {
#endif

struct reach_engine;

/** Creates an engine that knows nothing and wants everything.
 *  @return 0 or -ENOMEM. Destroy with reach_engine_destroy(). */
REACH_API int reach_engine_create(struct reach_engine **ret);

/** Frees @p engine and all that belongs to it; NULL is fine. */
REACH_API void reach_engine_destroy(struct reach_engine *engine);

/**
 * Adds a target; its first state follows as a change.
 *
 * @param[out] ret  its id: never 0, never used again in this engine.
 * @return 0, -ENOMEM, or what reach_target_validate() says.
 */
REACH_API int reach_engine_add(struct reach_engine *engine,
			       const struct reach_target *target,
			       uint64_t *ret);

/** Removes a target; no change of it is reported any more.
 *  @return 0, or -ENOENT if there is none with that id. */
REACH_API int reach_engine_remove(struct reach_engine *engine, uint64_t id);

/**
 * Replaces the probe set of the internet target.
 *
 * @param probes  @p count addresses, IPv4 and IPv6 in any order; a family
 *                without an address is never reachable.
 * @param count   1 to REACH_PROBES_MAX; 0 restores the built-in set.
 * @return 0; -EINVAL for a bad count or an address whose `reserved` is not 0;
 *         -EAFNOSUPPORT for a bad family; -ENOMEM, after which it is to be
 *         called again.
 */
REACH_API int reach_engine_set_probes(struct reach_engine *engine,
				      const struct reach_address *probes,
				      size_t count);

/** Most addresses of a probe set. */
#define REACH_PROBES_MAX 16

/** Takes a datagram of multicast events. Malformed messages are counted and
 *  treated as a loss. @return 0 or -ENOMEM (treated as a loss too). */
REACH_API int reach_engine_events(struct reach_engine *engine,
				  const void *bytes, size_t size);

/** Events were lost (ENOBUFS, MSG_TRUNC): links and addresses are asked
 *  anew, and every target. Call it after the socket has been drained. */
REACH_API void reach_engine_overrun(struct reach_engine *engine);

/** Asks every target again, all that there is to know (after a resume from
 *  suspend, or a change that the kernel does not announce, like that of an
 *  IPv6 address label). */
REACH_API void reach_engine_refresh(struct reach_engine *engine);

/** Tells the time: CLOCK_MONOTONIC in nanoseconds. Marks what expired. */
REACH_API void reach_engine_clock(struct reach_engine *engine, int64_t now);

/** When reach_engine_clock() is wanted next, or INT64_MAX for never. */
REACH_API int64_t reach_engine_deadline(const struct reach_engine *engine);

/**
 * Writes the next batch of requests for one send on a socket of their own
 * (strict checking and extended ACK on), or nothing when all is known.
 *
 * While answers to the last batch are missing nothing is written.
 *
 * @param[out] buffer   aligned to 4 bytes.
 * @param      size     at least REACH_REQUESTS_SIZE.
 * @param[out] written  bytes to send; 0 when nothing is wanted.
 * @return 0, or -EINVAL if @p size is too small.
 */
REACH_API int reach_engine_requests(struct reach_engine *engine, void *buffer,
				    size_t size, size_t *written);

/** Smallest buffer for reach_engine_requests(). */
#define REACH_REQUESTS_SIZE 16384

/** Takes a datagram of answers. Answers that belong to no question are
 *  ignored. @return 0 or -ENOMEM. */
REACH_API int reach_engine_answers(struct reach_engine *engine,
				   const void *bytes, size_t size);

/** Answers still missing of the last batch: 0 when it is complete. */
REACH_API size_t reach_engine_pending(const struct reach_engine *engine);

/** The missing answers will not come (ENOBUFS): they are asked again. */
REACH_API void reach_engine_answers_lost(struct reach_engine *engine);

/** Compares what is known with what was reported, and queues the changes.
 *  @return whether changes are queued. */
REACH_API int reach_engine_publish(struct reach_engine *engine);

/**
 * Takes the next change. A target that changed twice before it was taken is
 * reported once, with its latest state.
 *
 * @param[out] change  set `size` first.
 * @return 1 for a change, 0 when there is none, -EINVAL for a bad size.
 */
REACH_API int reach_engine_next(struct reach_engine *engine,
				struct reach_change *change);

/**
 * What is known of a target now.
 *
 * @param[out] state  set `size` first.
 * @return 0, -ENOENT for an unknown id, -EAGAIN if it was not evaluated yet,
 *         -EINVAL for a bad size.
 */
REACH_API int reach_engine_state(const struct reach_engine *engine, uint64_t id,
				 struct reach_state *state);

/**
 * The interface with the smallest index above @p after.
 *
 * @param[out] ret  set `size` first.
 * @return 1 for an interface, 0 when there is none, -EINVAL for a bad size.
 */
REACH_API int reach_engine_interface(const struct reach_engine *engine,
				     uint32_t after,
				     struct reach_interface *ret);

/**
 * Gives the result of a name's resolution.
 *
 * @param addresses  @p count addresses, best first; those past
 *                   REACH_ADDRESSES_MAX are dropped.
 * @return 0, -ENOENT for an unknown id, -EINVAL if the target is no name or
 *         an address has a `reserved` that is not 0, -ENOMEM.
 */
REACH_API int reach_engine_resolved(struct reach_engine *engine, uint64_t id,
				    const struct reach_address *addresses,
				    size_t count);

/**
 * Tells that a name could not be resolved.
 *
 * @param error  -ENOENT if the name does not exist, -ENODATA if it has no
 *               address: both take its addresses from it. -ENETUNREACH or
 *               -ENETDOWN if there is no network to ask over; any other
 *               negative errno if the resolver failed, which counts as no
 *               network where no interface but loopback is usable: these keep
 *               the addresses that the name has. The target's reason tells
 *               which it was as long as the name has no address.
 * @return 0, -ENOENT for an unknown id, -EINVAL if the target is no name or
 *         @p error is not negative, -ENOMEM.
 */
REACH_API int reach_engine_resolution_failed(struct reach_engine *engine,
					     uint64_t id, int error);

/** What sysfs tells of an interface. Empty strings for what is not there. */
struct reach_evidence {
	/** sizeof(struct reach_evidence). */
	size_t size;
	/** DEVTYPE of the device's uevent file. */
	char devtype[32];
	/** Name of the driver behind device/driver. */
	char driver[32];
	/** Whether phy80211 or wireless/ is there. */
	uint8_t wireless;
	/** Always 0, or it is refused. */
	uint8_t reserved[7];
};

/**
 * The next interface whose evidence is wanted, or 0. Answer with
 * reach_engine_set_evidence(), also when there is none: each whose class hangs
 * on it is asked once, and again after a rename or a change of identity.
 */
REACH_API uint32_t reach_engine_wants_evidence(struct reach_engine *engine);

/** Gives what sysfs tells of interface @p index; NULL for nothing.
 *  @return 0, -ENOENT if there is no such interface, -EINVAL for a bad size or
 *  a `reserved` that is not 0. */
REACH_API int reach_engine_set_evidence(struct reach_engine *engine,
					uint32_t index,
					const struct reach_evidence *evidence);

/** Counters since the engine was created. */
struct reach_stats {
	/** In: sizeof(struct reach_stats) of the caller. */
	size_t size;
	/** Event messages taken. */
	uint64_t events;
	/** Questions put to the kernel. */
	uint64_t lookups;
	/** Barriers sent before questions. */
	uint64_t barriers;
	/** Overruns of the event socket. */
	uint64_t overruns;
	/** Dumps of links and addresses begun, the first included. */
	uint64_t dumps;
	/** Malformed messages. */
	uint64_t malformed;
	/** Datagrams that did not come from the kernel. */
	uint64_t spoofed;
	/** Changes queued. */
	uint64_t changes;
	/** Names sent to the resolver. */
	uint64_t resolutions;
	/** Calls of reach_monitor_dispatch() that found something to do. */
	uint64_t wakeups;
	/** Answers that were older than the last event, and were corrected by
	 *  asking once more some time after it. 0 where the kernel lets
	 * barriers wait for what it has announced, as it does up to Linux 7.2.
	 */
	uint64_t corrections;
};

/** Copies the counters. @return 0, or -EINVAL for a bad size. */
REACH_API int reach_engine_stats(const struct reach_engine *engine,
				 struct reach_stats *ret);

#ifdef __cplusplus
}
#endif

#endif
