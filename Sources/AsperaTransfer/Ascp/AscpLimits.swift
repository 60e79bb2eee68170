/// How long an ``AscpEngine`` waits for what, and how much of ascp's output it keeps.
public struct AscpLimits: Sendable, Hashable {
  /// How long ascp may take to connect to the management port.
  public var connect: Duration = .seconds(30)

  /// How long ascp may say nothing at all while it connects to the server or transfers; ascp itself gives up sooner.
  ///
  /// A persistent session that runs may say nothing for as long as it likes.
  public var silence: Duration = .seconds(300)

  /// How long ascp may take to end after its last word.
  public var exit: Duration = .seconds(5)

  /// How long what ascp has sent may take to arrive after it has ended.
  public var arrival: Duration = .seconds(10)

  /// How long ascp may take to end after it was told to on the management port.
  public var cancel: Duration = .seconds(5)

  /// How long ascp may take to end after SIGTERM, before SIGKILL.
  public var terminate: Duration = .seconds(5)

  /// How long a login may take to be tested, and ascp to say its version.
  public var login: Duration = .seconds(120)

  /// How many of the last bytes that ascp prints are kept for errors.
  public var printed = 16_384

  /// The defaults.
  public init() {}
}
