internal import Cryptography
internal import SignedPayloads
internal import Vocabulary

/// Reads the certificates that may vouch for payloads.
enum TrustedAnchors {
    /// Returns the certificates of a PEM file; Apple's roots without a path.
    ///
    /// - Throws: the errors of reading, `cryptography.certificate-not-pem`, and the code of an ``AnchorProblem``.
    static func read(_ path: String?) throws -> [Certificate] {
        guard let path else { return try AppleRoots.certificates() }
        let text = try Input.read(path)
        let certificates = try CryptographyError.mapped(
            to: { ToolFailure($0, file: path) },
            try Certificate.pem(text.span)
        )
        // The daemon refuses the same certificates. With a certificate that cannot be an anchor, every payload would be
        // refused without a clear reason.
        for certificate in certificates {
            guard let problem = AnchorProblem(certificate) else { continue }
            throw ToolFailure(
                .badData, code: problem.code, "\(certificate.subject) \(problem.reason)", file: path)
        }
        return certificates
    }
}
