// SPDX-License-Identifier: MIT

internal import ReachLibc
internal import Synchronization

/// The process that an object belongs to: the one that created it, or that has claimed it since.
package struct OwnerProcess: ~Copyable, Sendable {
    private let id: Atomic<Int32>

    package init() {
        self.init(getpid())
    }

    init(_ id: Int32) {
        self.id = Atomic(id)
    }

    /// False in a child of fork() for an object of its parent.
    package var isCurrent: Bool { id.load(ordering: .acquiring) == getpid() }

    func claim() {
        id.store(getpid(), ordering: .releasing)
    }
}

/// An object that a child of fork() must not use: it has none of the object's threads, and a lock may be held
/// forever.
package protocol OfOneProcess: AnyObject, Sendable {
    var process: OwnerProcess { get }
}

extension OfOneProcess {
    /// False in a child of fork() for an object of its parent.
    package var isOfThisProcess: Bool { process.isCurrent }
}

/// The object of the current process; a child of fork() makes its own.
@safe
package final class ProcessLocal<Object: OfOneProcess>: Sendable {
    /// The object of this process, or of the parent.
    private let known = unsafe Atomic<Unmanaged<Object>?>(nil)

    package init() {}

    deinit {
        let object = unsafe known.load(ordering: .acquiring)
        unsafe object?.release()
    }

    /// The object of this process; nil if none was made yet.
    package var existing: Object? {
        let object = unsafe known.load(ordering: .acquiring)?.takeUnretainedValue()
        return object?.isOfThisProcess == true ? object : nil
    }

    /// The object of this process, made by `make` at the first use.
    ///
    /// `make` receives whether the process is a child whose parent had one. If two threads call it, one object is
    /// released.
    package func current<Failure>(
        _ make: (_ inChild: Bool) throws(Failure) -> Object
    ) throws(Failure) -> Object {
        let old = unsafe known.load(ordering: .acquiring)
        let object = unsafe old?.takeUnretainedValue()
        if let object, object.isOfThisProcess { return object }
        let new = try make(object != nil)
        // The object of the parent is never freed.
        let (isFirst, winner) = unsafe known.compareExchange(
            expected: old, desired: Unmanaged.passUnretained(new), ordering: .acquiringAndReleasing)
        guard isFirst else { return unsafe winner?.takeUnretainedValue() ?? new }
        return unsafe Unmanaged.passRetained(new).takeUnretainedValue()
    }
}
