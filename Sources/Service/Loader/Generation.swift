public import Configuration
public import DataFiles
internal import System
public import Vocabulary

/// One immutable set of configuration, anchors and data files, in memory that the kernel has sealed: what a worker
/// is born with and dies with.
public final class Generation: Sendable {
    /// Its table of contents.
    public let manifest: Manifest
    private let rulesFiles: [Role: RulesFile]

    private struct Role: Hashable {
        let appAppleId: Int64
        let environment: Environment
    }

    /// The number of the load that made it.
    public var sequence: Int { manifest.sequence }

    /// The configuration it serves with.
    public var configuration: Configuration { manifest.configuration }

    /// Takes over the descriptors that a supervisor places at a worker's start: the manifest at 4, the files from 5.
    ///
    /// - Throws: `manifest-invalid`, the codes of a data file, `load-system`.
    public convenience init() throws(LoadError) {
        let present = try Loader.present()
        try self.init(manifest: present.manifest, descriptors: present.descriptors)
    }

    /// Loads the configuration at `path` and its files in this very process, without supervisor or loader: for a
    /// standalone worker and for one CGI request.
    public convenience init(loadingConfigurationAt path: String) throws(LoadError) {
        let result = try Loader(configurationPath: path, sequence: 1, source: .pushed).load(present: nil)
        var numbers: [Int32] = []
        var owners: [DescriptorList] = []
        for file in result.files {
            guard case .copied(let list) = file.place else { continue }
            owners.append(list)
            do throws(SystemCallError) {
                numbers.append(try list.duplicate(at: 0).release())
            } catch {
                throw .system(error)
            }
        }
        try self.init(manifest: result.manifest, descriptors: DescriptorList(takingOwnership: numbers))
    }

    private init(manifest: Manifest, descriptors: DescriptorList) throws(LoadError) {
        var files: [Role: RulesFile] = [:]
        for (index, file) in manifest.files.enumerated() where file.kind == .rules {
            let mapped = try LoadError.wrapping(LoadError.system) { () throws(SystemCallError) in
                try MappedMemory(of: SealedMemory(verifying: descriptors.duplicate(at: index)).descriptor)
            }
            do throws(DataFileError) {
                // The loader has checked these very bytes; nobody can have changed them since.
                let role = Role(appAppleId: file.appAppleId, environment: file.environment)
                files[role] = try RulesFile(mapping: mapped, check: .structure)
            } catch {
                throw .dataFile(name: file.name, error)
            }
        }
        self.manifest = manifest
        rulesFiles = files
    }

    /// The rules for an app in an environment; nil when none were pushed.
    public func rules(appAppleId: Int64, environment: Environment) -> RulesFile? {
        rulesFiles[Role(appAppleId: appAppleId, environment: environment)]
    }

    /// Whether there is anything to decide by; `ping` answers 503 while there is not.
    public var hasRules: Bool { !rulesFiles.isEmpty }

    /// The DER of the certificates in the PEM files named by `paths`, in their order.
    public func anchors(at paths: [String]) -> [[UInt8]] {
        paths.flatMap { manifest.anchors[$0] ?? [] }
    }
}
