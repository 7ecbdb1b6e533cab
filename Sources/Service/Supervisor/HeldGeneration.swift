internal import Configuration
internal import Loader
internal import System
internal import Vocabulary

/// The descriptors of one generation, with the details that the supervisor writes into the verdict.
final class HeldGeneration {
    let manifest: DescriptorList
    let keys: DescriptorList
    let fileDescriptors: DescriptorList
    let files: [ManifestFile]
    let logLevel: LogLevel
    let logFormat: LogFormat
    /// The file of the log lines; nil for standard error.
    let errorLog: String?

    /// Takes the descriptors that a loader sent, after making sure that no process can change their contents. Takes
    /// files that are loaded already from `present`.
    ///
    /// - Throws: ``UnusableReply``.
    init(_ loaded: LoaderReply.Loaded, sent: [Int32], present: HeldGeneration?) throws(UnusableReply) {
        // The manifest and the keys come first.
        guard sent.count >= 2 else { throw .malformed }
        let owned = DescriptorList(
            takingOwnership: try sent.map { number throws(UnusableReply) in try Self.frozen(copyOf: number) }
        )
        var numbers: [Int32] = []
        for (_, place) in loaded.files {
            switch place {
            case .sent(let index):
                guard index > 1 else { throw .malformed }
                numbers.append(try Self.copy(index, of: owned))
            case .present(let index):
                guard let present else { throw .malformed }
                numbers.append(try Self.copy(index, of: present.fileDescriptors))
            }
        }
        fileDescriptors = DescriptorList(takingOwnership: numbers)
        manifest = DescriptorList(takingOwnership: [try Self.copy(0, of: owned)])
        keys = DescriptorList(takingOwnership: [try Self.copy(1, of: owned)])
        files = loaded.files.map(\.file)
        logLevel = loaded.logLevel
        logFormat = loaded.logFormat
        errorLog = loaded.errorLog
    }

    private static func frozen(copyOf number: Int32) throws(UnusableReply) -> Int32 {
        try SystemCallError.mapped(
            to: UnusableReply.unsealed,
            try ImmutableFile(verifying: FileDescriptor.duplicate(of: number)).releaseDescriptor())
    }

    private static func copy(_ index: Int, of list: DescriptorList) throws(UnusableReply) -> Int32 {
        guard list.numbers.indices.contains(index) else { throw .malformed }
        return try SystemCallError.mapped(to: UnusableReply.unsealed, try list.duplicate(at: index).release())
    }

    /// The descriptors with the numbers that a child process expects them at.
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

/// The reason why the supervisor cannot use a loader's reply.
enum UnusableReply: CodedError {
    /// Another process could change the contents of a descriptor, or the supervisor cannot keep the descriptor.
    case unsealed(SystemCallError)
    /// The descriptors are not those that the loader named.
    case malformed

    /// The stable code.
    var code: String {
        switch self {
        case .unsealed: "load-unsealed"
        case .malformed: "load-crashed"
        }
    }

    var refusal: PoolRefusal {
        switch self {
        case .unsealed(let error):
            PoolRefusal(
                code: code,
                message: "the supervisor cannot check or keep a descriptor that the loader sent: \(error)")
        case .malformed:
            PoolRefusal(code: code, message: "the loader did not send the descriptors that it named")
        }
    }
}
