internal import StorageAuth

extension COSSigner {
  /// The window of a header signature.
  func headerWindow(for identity: Identity, at date: Timestamp) throws(SigningError) -> COSKeyTime {
    if let start = identity.start, let end = identity.expiration {
      return try checked(COSKeyTime(from: start, until: end))
    }
    guard headerLifetime >= .seconds(1) else {
      throw SigningError(
        .invalidConfiguration, "The lifetime of header signatures is under a second.",
        remedy: "Set it to some minutes, or leave it at an hour.")
    }
    let start = identity.start ?? date
    let end = max(start, date).advanced(by: headerLifetime)
    return try checked(COSKeyTime(from: start, until: min(end, identity.expiration ?? end)))
  }

  /// The window of a URL; a clock that is before the start of the key is certainly slow.
  func urlWindow(
    for identity: Identity, validFor duration: Duration, at date: Timestamp
  ) throws(SigningError) -> COSKeyTime {
    let seconds = duration.components.seconds
    guard seconds >= 1, seconds < Int64(Int32.max) else {
      throw SigningError(
        .lifetimeOutOfRange, "A URL that works for \(seconds) seconds is not possible.",
        remedy: "Ask for 1 second or more.")
    }
    let now = max(date, identity.start ?? date)
    return try checked(
      COSKeyTime(from: identity.start ?? date, until: now.advanced(by: .seconds(seconds))), for: identity)
  }

  /// Refuses a window that ends before it starts, or after the key.
  func checked(_ window: COSKeyTime, for identity: Identity? = nil) throws(SigningError) -> COSKeyTime {
    if let expiration = identity?.expiration, expiration < window.end {
      throw .credentialEndsFirst(expiration, required: window.end)
    }
    guard window.start < window.end else {
      throw .credentialEndsFirst(window.end, required: window.start)
    }
    guard window.start.unixSeconds >= 0 else {
      throw SigningError(
        .lifetimeOutOfRange, "The window starts before 1970.", remedy: "Check the clock, or the start of the key.")
    }
    return window
  }
}
