// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension LocalCloud {
  /// A way in which Aspera transfers fail, and how often: an error code of ascp with a description.
  ///
  /// ```swift
  /// cloud.faults.transfers = [.failure(code: 16, .afterBytes(1_000_000), .first(2)), .tokenExpired(.every(3))]
  /// ```
  public struct TransferFault: Sendable, Hashable {
    /// The point of a transfer at which the fault occurs.
    public enum Place: Sendable, Hashable {
      /// The start of the connection, before the login.
      case connecting
      /// The end of the login, before the session begins.
      case afterAuthentication
      /// The given number of bytes of content, or the end of a shorter transfer before it counts as completed.
      case afterBytes(Int64)
    }

    let code: Int
    let text: String?
    let place: Place
    let frequency: Fault.Frequency

    /// Returns a fault that fails with an error code.
    ///
    /// - Parameters:
    ///   - code: The code, 0 to 66 in ascp's table of errors.
    ///   - place: The point of the transfer.
    ///   - frequency: The transfers that the fault applies to, counted by connection.
    ///   - text: The description, or `nil` for one that fits the code.
    /// - Returns: The fault.
    public static func failure(
      code: Int, _ place: Place = .afterAuthentication, _ frequency: Fault.Frequency = .always, text: String? = nil
    ) -> TransferFault {
      TransferFault(code: code, text: text, place: place, frequency: frequency)
    }

    /// Returns a fault that reports the token as expired, regardless of the token.
    ///
    /// - Parameters:
    ///   - frequency: The transfers that the fault applies to, counted by connection.
    ///   - place: The point of the transfer.
    /// - Returns: The fault.
    public static func tokenExpired(
      _ frequency: Fault.Frequency = .always, _ place: Place = .afterAuthentication
    ) -> TransferFault {
      failure(code: 34, place, frequency, text: "The server refused the session: token expired 1 seconds ago")
    }

    /// Returns a fault that rejects the token, regardless of the token.
    ///
    /// - Parameters:
    ///   - frequency: The transfers that the fault applies to, counted by connection.
    ///   - place: The point of the transfer.
    /// - Returns: The fault.
    public static func tokenRefused(
      _ frequency: Fault.Frequency = .always, _ place: Place = .afterAuthentication
    ) -> TransferFault {
      failure(code: 34, place, frequency, text: "The server refused the session: token denied by server")
    }
  }
}
