/* SPDX-License-Identifier: MIT */
/*
 * What the kernel's headers lack before Linux 5.5, down to 4.14, with which Amazon
 * Linux 2 compiles: without this header, the library doesn't build there, or on
 * RHEL 8 (4.18). The values are the kernel's ABI. The program may well run on a
 * newer kernel.
 *
 * Macros, since distributions add enumerators to old headers.
 */
#ifndef REACH_BASE_KERNEL_H
#define REACH_BASE_KERNEL_H

#include <linux/fib_rules.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 5, 0)

#ifndef NETLINK_GET_STRICT_CHK
#define NETLINK_GET_STRICT_CHK 12 /* 4.20 */
#endif
#ifndef RTM_NEWNEXTHOP
#define RTM_NEWNEXTHOP 104 /* 5.3 */
#endif
#ifndef RTNLGRP_NEXTHOP
#define RTNLGRP_NEXTHOP 32
#endif
#define FRA_PROTOCOL	21 /* 4.17 */
#define FRA_IP_PROTO	22
#define RTA_IP_PROTO	27 /* 4.18 */
#define RTA_NH_ID	30 /* 5.3 */
#define IFLA_PROP_LIST	52 /* 5.5 */
#define IFLA_ALT_IFNAME 53
#endif

#endif
