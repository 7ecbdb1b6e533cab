public import Cryptography
internal import System

/// Real certificates that Apple has issued, kept in the folder `Certificates`.
public enum AppleCertificates: String, CaseIterable, Sendable {
    case rootG3 = "AppleRootCA-G3"
    case rootG2 = "AppleRootCA-G2"
    case intermediateG6 = "AppleWWDRCAG6"
    case leaf2021 = "LeafProdECC-2021-2023"
    case leaf2025 = "LeafProdECC-2025-2027"

    /// Reads the certificate from its PEM file.
    public func certificate() throws -> Certificate {
        let path = SourceFile.folder(of: #filePath) + "/Certificates/\(rawValue).pem"
        let text = try SourceFile.read(path)
        return try Certificate.pem(text.span)[0]
    }
}
