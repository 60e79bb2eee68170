/// What ascp is started with besides what follows from a specification.
///
/// ```swift
/// var options = AscpOptions(tokenKeyPath: path)
/// options.ignoredFields = ["read_threads"]
/// let engine = try AscpEngine(options: options)
/// ```
public struct AscpOptions: Sendable, Equatable {
  /// Whether ascp prints no progress.
  public var isQuiet = true

  /// When a session is set up over a web socket.
  public var webSocket = WebSocketUse.whereOffered

  /// Whether a session over a web socket may do without the host key that is pinned; certificates are checked then.
  public var givesUpHostKey = false

  /// The key of the account that servers let tokens in with; used where there is a token and no other credential.
  public var tokenKeyPath: String?

  /// The certificates that a web socket is checked against; ascp's own if not given.
  public var certificatesPath: String?

  /// The certificate and the key for HTTP fallback, where the specification asks for it.
  public var fallback: FallbackFiles?

  /// Whether the files are named in a list and not as arguments, which have a limit and are seen by everybody.
  public var usesFileList = true

  /// Which session of several this one is; needed for a specification with `multi_session`.
  public var part: Part?

  /// The home directory, for a key path that begins with `~/`.
  public var homeDirectory: String?

  /// The names of fields that ascp gets no option for and that a transfer may go without.
  ///
  /// A specification with any other such field is refused. A field that is mapped to an option is never ignored.
  public var ignoredFields: Set<String> = []

  /// Makes options.
  ///
  /// - Parameters:
  ///   - tokenKeyPath: The key of the account that servers let tokens in with.
  ///   - homeDirectory: The home directory, for a key path that begins with `~/`.
  public init(tokenKeyPath: String? = nil, homeDirectory: String? = nil) {
    self.tokenKeyPath = tokenKeyPath
    self.homeDirectory = homeDirectory
  }

  /// When a session is set up over a web socket and not over SSH.
  public enum WebSocketUse: Sendable, Hashable {
    /// Wherever the specification offers it.
    case whereOffered
    /// Only where the specification offers it and names no UDP port, and with that no way over SSH.
    case whereNeeded
  }

  /// The files for HTTP fallback.
  public struct FallbackFiles: Sendable, Hashable {
    /// The certificate.
    public var certificatePath: String
    /// Its key.
    public var keyPath: String

    /// Names the files.
    public init(certificatePath: String, keyPath: String) {
      self.certificatePath = certificatePath
      self.keyPath = keyPath
    }
  }

  /// One session of a transfer that several sessions share.
  public struct Part: Sendable, Hashable {
    /// Which one, from 1 on.
    public var index: Int
    /// How many there are.
    public var count: Int
    /// Whether each has a UDP port of its own, counted up from that of the specification; servers on Windows want that.
    public var separatesPorts: Bool

    /// Names a session.
    public init(index: Int, of count: Int, separatesPorts: Bool = false) {
      self.index = index
      self.count = count
      self.separatesPorts = separatesPorts
    }
  }
}
