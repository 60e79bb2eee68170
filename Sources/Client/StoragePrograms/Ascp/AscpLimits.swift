// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The time limits of an ``AscpEngine``, and the maximum size of the ascp output that the engine retains.
public struct AscpLimits: Sendable, Hashable {
  /// The maximum time until the transfer server accepts a connection, which is checked before ascp is started.
  public var reach: Duration = .seconds(15)

  /// The maximum time until ascp connects to the management port.
  public var connect: Duration = .seconds(30)

  /// The maximum time without a message while ascp connects to the server or transfers files.
  ///
  /// ascp itself gives up sooner. The limit does not apply to a running persistent session.
  public var silence: Duration = .seconds(300)

  /// The maximum time until ascp exits after its last message.
  public var exit: Duration = .seconds(5)

  /// The maximum time until ascp's last messages arrive after ascp has exited.
  public var arrival: Duration = .seconds(10)

  /// The maximum time until ascp exits after a cancel command on the management port.
  public var cancel: Duration = .seconds(5)

  /// The maximum time until ascp exits after SIGTERM, before ascp receives SIGKILL.
  public var terminate: Duration = .seconds(5)

  /// The maximum duration of a login test, and of a run that prints ascp's version.
  public var login: Duration = .seconds(120)

  /// The maximum number of bytes from the end of ascp's printed output that are retained for error messages.
  public var printed = 16_384

  /// Creates limits with the default values.
  public init() {}
}
