internal import COpenSSL

/// Checks a chain of leaf, intermediate and root with OpenSSL's path validation (RFC 5280 section 6) under one anchor:
/// X509_STRICT, security level 2, no partial chain, any purpose. It does not judge time; the caller does.
@safe public final class ChainVerifier {
    private let store: OpaquePointer
    private let anchor: Certificate

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

    /// Returns nil when the three certificates form a chain, else the reason. `issuerIsVerified` says that this same
    /// intermediate has passed under this same anchor before: its own signature is then not checked again, and everything
    /// else is.
    public func failure(leaf: Certificate, intermediate: Certificate, issuerIsVerified: Bool)
        -> ChainFailure?
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

public enum ChainFailure: Sendable, Hashable {
    /// OpenSSL's verification error and the depth in the chain at which OpenSSL found it; 0 is the leaf.
    case refused(number: Int, depth: Int)
    case otherChain
    case opensslFailure

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

/// Replaces OpenSSL's loop over all signatures when the intermediate's own signature is known to be good: it checks the
/// signature of the leaf only. OpenSSL still does path building, extensions, key strengths and name constraints.
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
