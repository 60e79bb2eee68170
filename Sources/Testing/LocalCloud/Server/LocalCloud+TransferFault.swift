// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension LocalCloud {
  /// A failure that the server injects into Aspera transfers.
  ///
  /// A fault consists of an ascp error code with a description, and a selection of the transfers that it applies to.
  ///
  /// ```swift
  /// cloud.faults.transfers = [.failure(code: 16, .afterBytes(1_000_000), .first(2)), .tokenExpired(.every(3))]
  /// ```
  public struct TransferFault: Sendable, Hashable {
    /// The point of a transfer at which an injected fault occurs.
    public enum Location: Sendable, Hashable {
      /// The fault occurs at the start of the connection, before the login.
      case connecting
      /// The fault occurs at the end of the login, before the session begins.
      case afterAuthentication
      /// The fault occurs after the given number of content bytes.
      ///
      /// A shorter transfer fails at its end, before it counts as completed.
      case afterBytes(Int64)
    }

    /// The ascp error code of a rejected token (`UNAUTHORIZED`).
    private static let unauthorizedCode = 34

    let code: Int
    let text: String?
    let location: Location
    let frequency: Fault.Frequency

    /// Returns a transfer fault with an ascp error code.
    ///
    /// - Parameters:
    ///   - code: The error code, 0 to 66, from ascp's table of errors.
    ///   - location: The point of the transfer at which the fault occurs.
    ///   - frequency: The transfers that the fault applies to, counted by connection.
    ///   - text: The description of the error, or `nil` for the default description of the code.
    /// - Returns: The fault.
    public static func failure(
      code: Int, _ location: Location = .afterAuthentication, _ frequency: Fault.Frequency = .always,
      text: String? = nil
    ) -> TransferFault {
      TransferFault(code: code, text: text, location: location, frequency: frequency)
    }

    /// Returns a transfer fault that reports the token as expired, even if the token is valid.
    ///
    /// - Parameters:
    ///   - frequency: The transfers that the fault applies to, counted by connection.
    ///   - location: The point of the transfer at which the fault occurs.
    /// - Returns: The fault.
    public static func tokenExpired(
      _ frequency: Fault.Frequency = .always, _ location: Location = .afterAuthentication
    ) -> TransferFault {
      failure(
        code: unauthorizedCode, location, frequency, text: "The server refused the session: token expired 1 seconds ago"
      )
    }

    /// Returns a transfer fault that rejects the token, even if the token is valid.
    ///
    /// - Parameters:
    ///   - frequency: The transfers that the fault applies to, counted by connection.
    ///   - location: The point of the transfer at which the fault occurs.
    /// - Returns: The fault.
    public static func tokenRefused(
      _ frequency: Fault.Frequency = .always, _ location: Location = .afterAuthentication
    ) -> TransferFault {
      failure(
        code: unauthorizedCode, location, frequency, text: "The server refused the session: token denied by server")
    }
  }
}
