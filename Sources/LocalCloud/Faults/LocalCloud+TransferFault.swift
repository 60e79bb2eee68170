extension LocalCloud {
  /// One way in which transfers of Aspera fail, and how often: a code of ascp's table with a text.
  ///
  /// ```swift
  /// cloud.faults.transfers = [.failure(code: 16, .afterBytes(1_000_000), .first(2)), .tokenExpired(.every(3))]
  /// ```
  public struct TransferFault: Sendable, Hashable {
    /// Where in a transfer it happens.
    public enum Place: Sendable, Hashable {
      /// As soon as the server is reached, before anybody logs in.
      case connecting
      /// When the account was taken, before the session begins.
      case afterAuthentication
      /// After so many bytes of content; at the end of a transfer with fewer, before it counts as done.
      case afterBytes(Int64)
    }

    let code: Int
    let text: String?
    let place: Place
    let frequency: Fault.Frequency

    /// A failure with a code.
    ///
    /// - Parameters:
    ///   - code: The code, 0 to 66 in ascp's table.
    ///   - place: Where in the transfer.
    ///   - frequency: Which transfers, counted by their connections.
    ///   - text: The description; one that fits the code if not given.
    public static func failure(
      code: Int, _ place: Place = .afterAuthentication, _ frequency: Fault.Frequency = .always, text: String? = nil
    ) -> TransferFault {
      TransferFault(code: code, text: text, place: place, frequency: frequency)
    }

    /// The token is called expired, whatever it is.
    ///
    /// - Parameters:
    ///   - frequency: Which transfers, counted by their connections.
    ///   - place: Where in the transfer.
    public static func tokenExpired(
      _ frequency: Fault.Frequency = .always, _ place: Place = .afterAuthentication
    ) -> TransferFault {
      failure(code: 34, place, frequency, text: "The server refused the session: token expired 1 seconds ago")
    }

    /// The token is refused, whatever it is.
    ///
    /// - Parameters:
    ///   - frequency: Which transfers, counted by their connections.
    ///   - place: Where in the transfer.
    public static func tokenRefused(
      _ frequency: Fault.Frequency = .always, _ place: Place = .afterAuthentication
    ) -> TransferFault {
      failure(code: 34, place, frequency, text: "The server refused the session: token denied by server")
    }
  }
}
