internal import Configuration
internal import Loader
internal import System

/// The descriptors of one generation, with what the supervisor says of it in the verdict.
final class HeldGeneration {
    let manifest: DescriptorList
    let keys: DescriptorList
    let fileDescriptors: DescriptorList
    let files: [ManifestFile]
    let logLevel: LogLevel
    let logFormat: LogFormat
    /// Lines about its experiments for the decision log, as the loader made them.
    let marks: [UInt8]
    private var marksMemory: DescriptorList?

    init(
        manifest: DescriptorList,
        keys: DescriptorList,
        fileDescriptors: DescriptorList,
        files: [ManifestFile],
        logLevel: LogLevel,
        logFormat: LogFormat,
        marks: [UInt8]
    ) {
        self.manifest = manifest
        self.keys = keys
        self.fileDescriptors = fileDescriptors
        self.files = files
        self.logLevel = logLevel
        self.logFormat = logFormat
        self.marks = marks
    }

    /// Takes what a loader sent, after making sure that nobody can change any of it; files that are loaded already are taken
    /// from `present`.
    ///
    /// - Throws: `system.eperm` for a descriptor that somebody could write to, `system.ebadf` for a place that does not
    ///   exist.
    init(
        _ loaded: LoaderReply.Loaded,
        sent: [Int32],
        present: HeldGeneration?,
        marks: [UInt8]
    ) throws(SystemCallError) {
        let owned = DescriptorList(
            takingOwnership: try sent.map { number throws(SystemCallError) in
                try Self.frozen(copyOf: number)
            }
        )
        // The manifest and the keys come first.
        guard sent.count >= 2 else { throw SystemCallError(call: "recvmsg", number: 9) }
        var numbers: [Int32] = []
        for (_, place) in loaded.files {
            switch place {
            case .sent(let index):
                guard index > 1, index < owned.numbers.count else {
                    throw SystemCallError(call: "recvmsg", number: 9)
                }
                numbers.append(try owned.duplicate(at: index).release())
            case .present(let index):
                guard let present, index < present.fileDescriptors.numbers.count else {
                    throw SystemCallError(call: "recvmsg", number: 9)
                }
                numbers.append(try present.fileDescriptors.duplicate(at: index).release())
            }
        }
        fileDescriptors = DescriptorList(takingOwnership: numbers)
        manifest = DescriptorList(takingOwnership: [try owned.duplicate(at: 0).release()])
        keys = DescriptorList(takingOwnership: [try owned.duplicate(at: 1).release()])
        files = loaded.files.map(\.file)
        logLevel = loaded.logLevel
        logFormat = loaded.logFormat
        self.marks = marks
    }

    private static func frozen(copyOf number: Int32) throws(SystemCallError) -> Int32 {
        let copy = try FileDescriptor.duplicate(of: number)
        return try FrozenFile(verifying: copy).releaseDescriptor()
    }

    /// ``marks`` for the binary after this one; -1 where there are none. Where there is no memory for them, only marks
    /// are lost.
    var marksDescriptor: Int32 {
        let lines = marks
        if marksMemory == nil, !lines.isEmpty,
            let memory = try? SealedMemory(copying: lines.span, name: "retentiond-marks")
        {
            marksMemory = DescriptorList(takingOwnership: [memory.releaseDescriptor()])
        }
        return marksMemory?.numbers[0] ?? -1
    }

    /// Where a child sees it.
    var placement: [(from: Int32, to: Int32)] {
        [
            (manifest.numbers[0], LoaderLimits.manifestDescriptor),
            (keys.numbers[0], LoaderLimits.keysDescriptor),
        ]
            + fileDescriptors.numbers.enumerated().map { index, number in
                (number, LoaderLimits.firstFileDescriptor + Int32(index))
            }
    }
}
