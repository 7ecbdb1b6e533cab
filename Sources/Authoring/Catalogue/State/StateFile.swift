package import AppStoreServerAPI
package import System

/// Replaced before each call that changes something at Apple, and after it. So after a kill or a power cut at any
/// point, the file and Apple's lists say what is left to do.
package final class StateFile {
    package private(set) var state: AppleState
    private let write: (AppleState) throws(ToolError) -> Void

    init(
        _ state: AppleState = AppleState(),
        write: @escaping (AppleState) throws(ToolError) -> Void = { _ in }
    ) {
        self.state = state
        self.write = write
    }

    /// Locked until this object is gone.
    package convenience init(directory: String, name: String) throws(ToolError) {
        let path = "\(directory)/\(name)"
        let lock = try Self.lock(directory: directory, path: "\(path).lock")
        self.init(try Self.read(path) ?? AppleState()) { state throws(ToolError) in
            let bytes = Self.bytes(of: state)
            do throws(SystemCallError) {
                try AtomicFile.write(
                    bytes.span, to: path, permissions: 0o600, holding: lock.file,
                    through: SystemFileLayer())
            } catch {
                throw Self.unusable(path, error)
            }
        }
    }

    /// When another process writes to it, or the directory cannot be written, what is learnt is not kept.
    package static func openIfPossible(directory: String, name: String) throws(ToolError)
        -> StateFile
    {
        do throws(ToolError) {
            return try StateFile(directory: directory, name: name)
        } catch {
            // A file that cannot be read throws again.
            return StateFile(try read("\(directory)/\(name)") ?? AppleState())
        }
    }

    package static func directory(beside catalogue: String) -> String {
        "\(AtomicFile.split(catalogue).directory)/.retention"
    }

    /// Another server than Apple's has a file of its own, so that what is set at a simulator does not count as set at
    /// Apple.
    package static func name(bundleId: String, environment: Environment, server: String?) -> String {
        let address = server.map { address in
            "-" + String(address.map { $0.isLetter || $0.isNumber ? $0 : "-" }.suffix(80))
        }
        return "\(bundleId)-\(environment.rawValue)\(address ?? "").state.json"
    }

    func change(_ body: (inout AppleState) -> Void) throws(ToolError) {
        body(&state)
        try write(state)
    }

    private static func lock(directory: String, path: String) throws(ToolError) -> HeldLock {
        do throws(SystemCallError) {
            if (try? FileStatus(path: directory)) == nil {
                do throws(SystemCallError) {
                    try Directory.make(path: directory, permissions: 0o700)
                } catch {
                    // Another process may have made it at the same moment.
                    guard error.reason == .eexist else { throw error }
                }
            }
            return HeldLock(try FileLock(path: path))
        } catch {
            guard error == .lockHeld else { throw unusable(path, error) }
            throw ToolError(
                code: "catalogue.state-locked", "another process uses the state; try again when it has ended",
                file: path)
        }
    }

    // MARK: The text

    /// The longest file that is read: several times what 2,000 messages, 2,000 images and 10,000 default messages need.
    private static let byteLimit = 16 << 20
    private static let format = 1

    private struct Head: Codable {
        var format = StateFile.format
    }

    private struct Content: Codable {
        var format = StateFile.format
        var state: AppleState
    }

    static func bytes(of state: AppleState) -> [UInt8] {
        AppleJSON.encode(Content(state: state))
    }

    static func state(_ bytes: [UInt8], path: String) throws(ToolError) -> AppleState {
        let damaged = ToolError(
            code: "catalogue.state", "not a state of retentionctl",
            hint: "move the file away, and the next apply sets the default messages again", file: path)
        guard let head = try? AppleJSON.decode(Head.self, bytes) else { throw damaged }
        guard head.format == format else {
            throw ToolError(code: "catalogue.state", "written by a newer version", file: path)
        }
        guard let content = try? AppleJSON.decode(Content.self, bytes) else { throw damaged }
        return content.state
    }

    package static func read(_ path: String) throws(ToolError) -> AppleState? {
        let bytes: [UInt8]
        do throws(SystemCallError) {
            bytes = try FileDescriptor.openForReading(path: path).readAll(limitBytes: byteLimit)
        } catch {
            if error.reason == .enoent || error.reason == .enotdir { return nil }
            throw unusable(path, error)
        }
        return try state(bytes, path: path)
    }

    private static func unusable(_ path: String, _ error: SystemCallError) -> ToolError {
        let isForbidden = error.reason.map { [.eacces, .eperm, .erofs].contains($0) } ?? false
        return ToolError(
            code: "catalogue.state", "\(error)",
            hint: isForbidden ? "--state names a directory that can be written" : nil, file: path)
    }
}

// MARK: Apple's answers

extension StateFile {
    package func look(_ api: any RetentionMessagingAPI, at now: () -> Int64, asksURL: Bool = true)
        throws
    {
        let (images, messages) = (try api.listImages(), try api.listMessages())
        let url = asksURL ? try api.realtimeURL() : nil
        try change {
            $0.list(images, messages, at: now())
            if asksURL { $0.realtimeURL = url }
        }
    }

    /// One call each: of these products and locales, and of those that the state knows besides.
    package func askDefaults(
        _ wanted: [ProductLocale], _ api: any RetentionMessagingAPI, at now: () -> Int64,
        progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) throws {
        let named = Set(wanted)
        let known = Set(state.defaults.keys).union(state.unsettled.keys).subtracting(named)
        let places = wanted + known.sorted()
        for (index, place) in places.enumerated() {
            progress(index, places.count)
            let identifier = try api.defaultMessage(productId: place.product, locale: place.locale)
            try change { $0.add(.defaultSet(place, identifier), at: now()) }
        }
    }
}
