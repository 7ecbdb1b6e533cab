internal import Configuration
internal import Cryptography
internal import JSON

/// What a load reads before it reads data files: the configuration, its anchors, and the public halves of the keys that sign.
struct LoadedSettings: Sendable {
    let configuration: Configuration
    /// The DER of the certificates in each PEM file, by the path of the file.
    let anchors: [String: [[UInt8]]]
    /// By `appAppleId`.
    let publicKeys: [Int64: SHA256Digest]

    init(configuration: Configuration, anchors: [String: [[UInt8]]], publicKeys: [Int64: SHA256Digest]) {
        self.configuration = configuration
        self.anchors = anchors
        self.publicKeys = publicKeys
    }

    /// The digest of everything here: what was loaded with the same settings may serve as it is.
    var digest: SHA256Digest {
        var hasher = SHA256Hasher()
        hasher.update(configuration.effectiveJSON(hidingSecrets: false).span)
        hasher.update(JSONNode.object(nodes).serialized().span)
        return hasher.finalize()
    }

    /// The members of a manifest for anchors and keys.
    var nodes: [(String, JSONNode)] {
        let anchors = anchors.sorted { $0.key < $1.key }.map { path, certificates in
            JSONNode.object([
                ("path", .string(path)),
                (
                    "certificates",
                    .array(
                        certificates.map { .string(String(decoding: Base64.encode($0.span), as: UTF8.self)) }
                    )
                ),
            ])
        }
        let keys = publicKeys.sorted { $0.key < $1.key }.map { app, digest in
            JSONNode.object([("appAppleId", .integer(app)), ("sha256", .string(digest.hexadecimal))])
        }
        return [("anchors", .array(anchors)), ("publicKeys", .array(keys))]
    }

    /// Reads the members that ``nodes`` wrote; nil for any others.
    init?(_ configuration: Configuration, _ manifest: JSONValue) {
        guard let anchorList = manifest.member("anchors"), let keyList = manifest.member("publicKeys") else {
            return nil
        }
        var anchors: [String: [[UInt8]]] = [:]
        for element in anchorList.elements {
            guard let path = element.member("path")?.string, let list = element.member("certificates") else {
                return nil
            }
            var certificates: [[UInt8]] = []
            for certificate in list.elements {
                guard let der = certificate.withUTF8({ Base64.decode($0) }) ?? nil else { return nil }
                certificates.append(der)
            }
            anchors[path] = certificates
        }
        var keys: [Int64: SHA256Digest] = [:]
        for element in keyList.elements {
            guard let app = element.member("appAppleId")?.int64,
                let digest = element.member("sha256")?.string.flatMap(SHA256Digest.init(hexadecimal:))
            else { return nil }
            keys[app] = digest
        }
        self.init(configuration: configuration, anchors: anchors, publicKeys: keys)
    }
}
