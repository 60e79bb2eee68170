/// A temporary key on its way to a caller.
public struct VendedKey: Sendable, Equatable {
  /// The key.
  public let key: AccessKey

  /// The present by the clock of the cloud that issued the key; a device counts the key's life from here, whatever its
  /// own clock says.
  public let date: Timestamp

  /// Until when the key is valid, by the same clock.
  public let expiration: Timestamp
}
