// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// Options for ascp that a transfer specification does not determine.
///
/// ```swift
/// var options = AscpOptions(tokenKeyPath: path)
/// options.ignoredFields = ["read_threads"]
/// let engine = try AscpEngine(options: options)
/// ```
public struct AscpOptions: Sendable, Equatable {
  /// Whether ascp runs without printing its progress.
  public var isQuiet = true
  /// The condition under which the transfer session uses a WebSocket instead of SSH.
  public var webSocket = WebSocketUse.whereOffered
  /// Whether a session over a WebSocket may check the server's certificate instead of a pinned host key.
  public var givesUpHostKey = false
  /// The path of the private key for the token account, which is used only if there is a token and no other credential.
  public var tokenKeyPath: String?
  /// The path of the certificates that validate the server of a WebSocket, or `nil` to use ascp's own certificates.
  public var certificatesPath: String?
  /// The certificate and the private key for HTTP fallback, for specifications that request HTTP fallback.
  public var fallback: FallbackFiles?
  /// Whether ascp reads the paths from a file, because arguments are limited in length and visible to other users.
  public var usesFileList = true

  /// The position of the session for which a command is created, or `nil` for a transfer with one session.
  ///
  /// It is required for a specification with `multi_session`, except in an engine, which otherwise runs all sessions.
  public var part: Part?

  /// Whether an engine gives each session of a `multi_session` a separate UDP port, as servers on Windows require.
  public var separatesPorts = false

  /// The time between the starts of two sessions of a specification with `multi_session`, from zero to an hour.
  ///
  /// It is zero by default. Set it for an SSH server that receives too many simultaneous logins and drops some of them.
  public var sessionSpacing = Duration.zero {
    didSet { sessionSpacing = min(max(.zero, sessionSpacing), .seconds(3600)) }
  }

  /// The arguments that follow those of the specification.
  public var additional = AscpArguments()
  /// The home directory, which replaces `~` in key paths that begin with `~/`.
  public var homeDirectory: String?

  /// The names of fields that are ignored if ascp has no option for them, even if they could affect the transfer.
  ///
  /// Any other field for which ascp has no option is an error. Fields that are mapped to an option are never ignored.
  public var ignoredFields: Set<String> = []

  /// Creates ascp options; the parameters are the properties.
  public init(tokenKeyPath: String? = nil, homeDirectory: String? = nil) {
    self.tokenKeyPath = tokenKeyPath
    self.homeDirectory = homeDirectory
  }

  /// Returns whether a session with the specification uses a WebSocket instead of SSH.
  package func usesWebSocket(for specification: TransferSpec) -> Bool {
    specification.offersWebSocket == true && (webSocket == .whereOffered || specification.udpPort == nil)
  }

  /// A condition under which a transfer session uses a WebSocket instead of SSH.
  public enum WebSocketUse: Sendable, Hashable {
    /// A session uses a WebSocket whenever the specification offers a WebSocket.
    case whereOffered
    /// A session uses a WebSocket only if the specification offers one and has no UDP port, which SSH sessions need.
    case whereNeeded
  }

  /// The paths of the certificate and the private key for HTTP fallback.
  public struct FallbackFiles: Sendable, Hashable {
    /// The path of the certificate file.
    public var certificatePath: String
    /// The path of the file with the certificate's private key.
    public var keyPath: String

    /// Creates the paths of the certificate and the private key for HTTP fallback.
    public init(certificatePath: String, keyPath: String) {
      self.certificatePath = certificatePath
      self.keyPath = keyPath
    }
  }

  /// The position of one session in a transfer with several sessions.
  public struct Part: Sendable, Hashable {
    /// The number of this session among the transfer's sessions, starting at 1.
    public var index: Int
    /// The number of sessions in the transfer.
    public var count: Int
    /// Whether each session has a separate UDP port.
    ///
    /// The first session uses the UDP port in the specification, and the others the following ports.
    public var separatesPorts: Bool

    /// Creates the position of one session in a transfer with several sessions.
    public init(index: Int, of count: Int, separatesPorts: Bool = false) {
      self.index = index
      self.count = count
      self.separatesPorts = separatesPorts
    }
  }
}
