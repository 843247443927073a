// SPDX-License-Identifier: MIT
// A C++ program that uses the installed library: a monitor in a unique_ptr,
// and states and interfaces printed by name. run.sh checks that it calls every
// public function that returns the name of a value.
#include <poll.h>

#include <cstring>
#include <iostream>
#include <memory>
#include <string>

#include <reach/reach.h>

namespace
{

struct Close {
	void operator()(reach_monitor *monitor) const
	{
		reach_monitor_close(monitor);
	}
};

using Monitor = std::unique_ptr<reach_monitor, Close>;

template <typename Value> Value sized()
{
	Value value{};

	value.size = sizeof(value);
	return value;
}

Monitor open()
{
	reach_monitor *monitor = nullptr;

	return Monitor(reach_monitor_open(&monitor, nullptr) == 0 ? monitor
								  : nullptr);
}

bool print_state(const reach_state &state)
{
	char words[REACH_FLAGS_WORDS_SIZE];

	reach_flags_words(state.flags, words, sizeof(words));
	std::cout << words << ' ' << state.interface_name << ' '
		  << reach_interface_class_name(state.interface_class) << ' '
		  << reach_reason_name(state.reason) << '\n';
	return std::string(words) == "Reachable,Local Address" &&
	       std::strcmp(reach_interface_class_name(state.interface_class),
			   "loopback") == 0 &&
	       *reach_reason_name(state.reason) == '\0';
}

bool print_interfaces(const reach_monitor *monitor)
{
	auto interface = sized<reach_interface>();
	bool loopback = false;

	while (reach_monitor_interface(monitor, interface.index, &interface) ==
	       1) {
		const std::string name =
			reach_interface_class_name(interface.interface_class);

		std::cout << interface.name << ' ' << name << '\n';
		loopback = loopback || name == "loopback";
	}
	return loopback;
}

bool watch(reach_monitor *monitor)
{
	auto change = sized<reach_change>();
	reach_target target;
	std::uint64_t id = 0;
	pollfd descriptor{ reach_monitor_fd(monitor), POLLIN, 0 };

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	if (reach_address_parse("127.0.0.1", &target.remote) != 0 ||
	    reach_monitor_add(monitor, &target, &id) != 0)
		return false;
	while (poll(&descriptor, 1, 10000) == 1 &&
	       reach_monitor_dispatch(monitor) >= 0)
		if (reach_monitor_next(monitor, &change) == 1)
			return print_state(change.state);
	return false;
}

// The functions accept enumerators as well as the integer members of structs.
bool names()
{
	return *reach_rule_name(UINT32_MAX) == '\0' &&
	       *reach_class_basis_name(UINT32_MAX) == '\0' &&
	       *reach_source_state_name(UINT32_MAX) == '\0' &&
	       std::strcmp(reach_reason_name(REACH_REASON_LINK_DOWN),
			   "linkDown") == 0 &&
	       std::strcmp(reach_interface_class_name(REACH_INTERFACE_WIFI),
			   "wifi") == 0 &&
	       *reach_reason_name(UINT32_MAX) == '\0' &&
	       std::strcmp(reach_interface_class_name(UINT32_MAX), "other") ==
		       0;
}

} // namespace

int main()
{
	const Monitor monitor = open();

	return monitor && watch(monitor.get()) &&
			       print_interfaces(monitor.get()) && names()
		       ? 0
		       : 1;
}
