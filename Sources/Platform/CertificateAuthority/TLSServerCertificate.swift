/// Makes recipes of certificates for a web server on this machine.
public enum TLSServerCertificate {
    /// Returns the recipe for a server that clients reach as `localhost` and `127.0.0.1`, unless `hosts` and `addresses` name
    /// others. The certificate may be self-signed or signed by any issuer.
    public static func recipe(
        notBeforeMilliseconds: Int64, notAfterMilliseconds: Int64, hosts: [String] = ["localhost"],
        addresses: [[UInt8]] = [[127, 0, 0, 1]]
    ) -> CertificateRecipe {
        CertificateRecipe(
            subject: DistinguishedName(commonName: hosts.first ?? "localhost"),
            notBeforeMilliseconds: notBeforeMilliseconds, notAfterMilliseconds: notAfterMilliseconds
        ).with {
            $0.digest = .sha256
            $0.extendedKeyUsage = ["1.3.6.1.5.5.7.3.1"]
            $0.extensions = [.subjectAlternativeName(hosts: hosts, addresses: addresses)]
        }
    }
}
