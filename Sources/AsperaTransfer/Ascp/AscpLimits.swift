// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The time limits of an ``AscpEngine``, and the amount of ascp's output that it retains.
public struct AscpLimits: Sendable, Hashable {
  /// The maximum time for ascp to connect to the management port.
  public var connect: Duration = .seconds(30)

  /// The maximum time without a message while ascp connects to the server or transfers; ascp itself gives up sooner.
  ///
  /// The limit does not apply to a running persistent session.
  public var silence: Duration = .seconds(300)

  /// The maximum time for ascp to exit after its last message.
  public var exit: Duration = .seconds(5)

  /// The maximum time for ascp's last messages to arrive after it has exited.
  public var arrival: Duration = .seconds(10)

  /// The maximum time for ascp to exit after a cancel command on the management port.
  public var cancel: Duration = .seconds(5)

  /// The maximum time for ascp to exit after SIGTERM, before SIGKILL follows.
  public var terminate: Duration = .seconds(5)

  /// The maximum time for a login test, and for ascp to print its version.
  public var login: Duration = .seconds(120)

  /// The number of bytes at the end of ascp's printed output that are retained for errors.
  public var printed = 16_384

  /// Creates the default limits.
  public init() {}
}
