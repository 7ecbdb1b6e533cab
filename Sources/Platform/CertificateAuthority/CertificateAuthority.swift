// CertificateAuthority.
