internal import Configuration
internal import JSON
internal import Loader
internal import Vocabulary

/// The request of `--served`: tells which data files the running pool serves, and how its last load ended. It changes
/// nothing.
///
///     let request = try ServedFilesRequest(configurationPath: "/etc/retentiond/retentiond.json")
///     let answer = try request.answer(withRules: false)
public struct ServedFilesRequest {
    public enum Answer: Sendable, Hashable {
        /// One JSON object, which retentiond(8) describes.
        case document([UInt8])
        /// Nothing is known. The text says why.
        case unknown(String)
    }

    let configuration: Configuration

    /// Reads the configuration to learn where the pid file and the verdict are.
    ///
    /// - Throws: the codes of the configuration.
    public init(configurationPath: String) throws(SupervisorError) {
        configuration = try LoadError.mapped(
            to: SupervisorError.configuration, try Loader.readConfiguration(path: configurationPath))
    }

    /// Reads the verdict of the last load.
    ///
    /// - Parameter withRules: true to add the bytes of each rules file that is served.
    /// - Returns: the answer.
    /// - Throws: `supervisor.pid-file-invalid`, `supervisor.pid-file-foreign` when the pid file does not name the
    ///   pool's supervisor; `supervisor.unavailable` when the pid file cannot be read.
    public func answer(withRules: Bool) throws(SupervisorError) -> Answer {
        guard try RunningSupervisor.find(configuration) != nil else {
            return .unknown("no supervisor runs, see \(configuration.pidFile)")
        }
        // The spare file exists only while the usual one cannot be written, and is then the newer one.
        let places = [VerdictFile(spareOf: configuration), VerdictFile(configuration)]
        guard let verdict = places.lazy.compactMap({ $0.read() }).first else {
            return .unknown("there is no verdict of a load in \(configuration.stateDirectory)")
        }
        guard let files = ServedFiles(configuration) else {
            return .unknown("there is no generation to read in \(configuration.stateDirectory)")
        }
        let document = JSONNode.object([
            ("dataDirectory", .string(configuration.dataDirectory)),
            ("sequence", .integer(Int64(verdict.sequence))),
            ("result", .string(verdict.refusal == nil ? "loaded" : "refused")),
            ("code", verdict.refusal.map { .string($0.code) } ?? .null),
            ("message", verdict.refusal.map { .string($0.message) } ?? .null),
            ("files", .array(files.nodes(withRules: withRules))),
        ])
        return .document(document.serialized() + [UInt8(ascii: "\n")])
    }
}
