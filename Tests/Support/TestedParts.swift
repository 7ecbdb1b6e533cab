package import Cryptography
internal import Glibc
@testable package import SignedPayloads
@testable package import System

extension SignedPayloadVerifier {
    /// Checks a chain alone, with every check that a request makes of it. For people who inspect a chain.
    ///
    /// - Returns: the SHA-256 of the anchor that vouches for the chain.
    /// - Throws: a ``VerificationError`` of the steps certificates, anchor, chain, markers or validity.
    package func verifyChain(_ chain: ChainBytes, atMilliseconds milliseconds: Int64)
        throws(VerificationError)
        -> SHA256Digest
    {
        let result = try trust.trust(chain, nowMilliseconds: milliseconds)
        try checkValidity(of: result.chain, at: milliseconds)
        return result.chain.anchor
    }
}

extension StreamSocket {
    package borrowing func shutDownWriting() {
        _ = shutdown(descriptor.number, Int32(SHUT_WR))
    }
}

extension Directory {
    package static func setPermissions(path: String, to permissions: UInt32) throws(SystemCallError) {
        guard unsafe chmod(path, mode_t(permissions)) == 0 else { throw .last("chmod") }
    }
}
