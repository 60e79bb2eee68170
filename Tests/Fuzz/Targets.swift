/// All readers.
enum Targets {
  static func all(_ samples: Samples) -> [Target] {
    [
      frames(samples), json(samples), specifications(samples), commands(samples), signing(samples), links(samples),
      tokens(samples), bearerTokens(samples), packedClaims(samples), keyTexts(samples), keyContainers(samples),
      fingerprints(samples), errorTexts(samples),
    ]
  }
}
