internal import COpenSSL

/// Builds and checks a chain of three certificates, leaf, intermediate, root, with OpenSSL's own path validation
/// (RFC 5280 section 6) and nothing but one configured anchor trusted.
///
/// Settings: X509_STRICT, security level 2 (no SHA-1, no RSA below 2048 bits), the intermediate as the only untrusted
/// certificate, no partial chain, any purpose. Time is not judged here: validity is an interval that the caller holds
/// against a time of its own.
@safe public final class ChainVerifier {
    private let store: OpaquePointer
    private let anchor: Certificate

    /// Trusts `anchor` and nothing else.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public init(anchor: Certificate) throws(CryptographyError) {
        guard let store = unsafe X509_STORE_new() else { throw .opensslFailure }
        guard unsafe X509_STORE_add_cert(store, anchor.storage.pointer) == 1 else {
            unsafe X509_STORE_free(store)
            throw .opensslFailure
        }
        unsafe self.store = store
        self.anchor = anchor
    }

    deinit {
        unsafe X509_STORE_free(store)
    }

    /// Why the three do not make a chain.
    ///
    /// - Parameters:
    ///   - leaf: the end-entity certificate.
    ///   - intermediate: the certificate that issued it.
    ///   - issuerIsVerified: true when this very intermediate has passed under this very anchor before: its own
    ///     signature is then not checked again. Everything else is.
    /// - Returns: nil when they make a chain, else OpenSSL's verification error (`X509_V_ERR_*`), or `otherChain` when
    ///   OpenSSL is content with another chain than exactly leaf, intermediate, anchor.
    public func failure(leaf: Certificate, intermediate: Certificate, issuerIsVerified: Bool) -> ChainFailure?
    {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let context = unsafe X509_STORE_CTX_new(), let untrusted = unsafe OPENSSL_sk_new_null() else {
            return .opensslFailure
        }
        defer {
            unsafe X509_STORE_CTX_free(context)
            unsafe OPENSSL_sk_free(untrusted)
        }
        guard unsafe OPENSSL_sk_push(untrusted, UnsafeRawPointer(intermediate.storage.pointer)) == 1,
            unsafe X509_STORE_CTX_init(context, store, leaf.storage.pointer, untrusted) == 1,
            let parameters = unsafe X509_STORE_CTX_get0_param(context)
        else { return .opensslFailure }
        let flags = UInt(X509_V_FLAG_X509_STRICT | X509_V_FLAG_NO_CHECK_TIME)
        guard unsafe X509_VERIFY_PARAM_set_flags(parameters, flags) == 1,
            unsafe X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_ANY) == 1
        else { return .opensslFailure }
        unsafe X509_VERIFY_PARAM_set_auth_level(parameters, 2)
        if issuerIsVerified {
            unsafe X509_STORE_CTX_set_verify(context, leafSignatureOnly)
        }
        guard unsafe X509_verify_cert(context) == 1 else {
            let error = unsafe X509_STORE_CTX_get_error(context)
            let depth = unsafe X509_STORE_CTX_get_error_depth(context)
            return .refused(number: Int(error), depth: Int(depth))
        }
        return unsafe isExactly([leaf, intermediate, anchor], chainOf: context) ? nil : .otherChain
    }

    private func isExactly(_ expected: [Certificate], chainOf context: OpaquePointer) -> Bool {
        guard let chain = unsafe X509_STORE_CTX_get0_chain(context),
            unsafe OPENSSL_sk_num(chain) == Int32(expected.count)
        else { return false }
        for (index, certificate) in expected.enumerated() {
            guard let found = unsafe OPENSSL_sk_value(chain, Int32(index)) else { return false }
            let pointer = OpaquePointer(found)
            guard unsafe X509_cmp(pointer, certificate.storage.pointer) == 0 else { return false }
        }
        return true
    }
}

/// Why a chain was refused.
public enum ChainFailure: Sendable, Hashable {
    /// OpenSSL's verification error and the depth in the chain at which it was found, 0 being the leaf.
    case refused(number: Int, depth: Int)
    /// OpenSSL found a valid chain, but not the one that was presented.
    case otherChain
    /// OpenSSL had no memory.
    case opensslFailure

    /// OpenSSL's words for the error, for people.
    public var explanation: String {
        switch self {
        case .refused(let number, let depth):
            guard let text = unsafe X509_verify_cert_error_string(number) else { return "error \(number)" }
            return unsafe "\(String(cString: text)) (at depth \(depth))"
        case .otherChain: return "the valid chain is not the presented one"
        case .opensslFailure: return "libcrypto failed"
        }
    }
}

/// Stands in for OpenSSL's loop over all signatures when the intermediate's own signature is known to be good:
/// checks that of the leaf alone. Path building, extensions, key strengths and name constraints stay OpenSSL's.
private let leafSignatureOnly: @convention(c) (OpaquePointer?) -> Int32 = { context in
    guard let chain = unsafe X509_STORE_CTX_get0_chain(context), unsafe OPENSSL_sk_num(chain) == 3,
        let first = unsafe OPENSSL_sk_value(chain, 0), let second = unsafe OPENSSL_sk_value(chain, 1),
        let key = unsafe X509_get0_pubkey(OpaquePointer(second))
    else {
        unsafe X509_STORE_CTX_set_error(context, X509_V_ERR_UNSPECIFIED)
        return 0
    }
    guard unsafe X509_verify(OpaquePointer(first), key) == 1 else {
        unsafe X509_STORE_CTX_set_error_depth(context, 0)
        unsafe X509_STORE_CTX_set_error(context, X509_V_ERR_CERT_SIGNATURE_FAILURE)
        return 0
    }
    return 1
}
