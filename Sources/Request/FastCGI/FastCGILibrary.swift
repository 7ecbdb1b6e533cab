internal import CFastCGI

/// The libfcgi library that this module uses.
public enum FastCGILibrary {
    /// The version of libfcgi whose headers this program was built with, such as `2.4.2`. The library itself does not
    /// report a version.
    public static var version: String { unsafe String(cString: rt_fcgi_version()) }
}
