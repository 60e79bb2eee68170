internal import StorageAuth

/// Stands in a chain behind the files that a variable may name a profile of, and fails if none of them has it: going on
/// would quietly use another identity than the one that was named.
struct NamedProfileCheck: CredentialProvider {
  var source: String { "named profile (\(variable))" }
  let variable: String
  let files: [String]
  let machine: ProviderContext

  func credential() async throws(CredentialError) -> AccessKey {
    guard let name = machine.variable(variable) else {
      throw CredentialError(
        .notConfigured, source: source, "No profile is named.", remedy: "Set \(variable) to use one by its name.")
    }
    throw CredentialError(
      .failed, source: source,
      "\(variable) names the profile “\(name)”, and no key came from a profile of that name in \(files.joined(separator: " or ")).",
      remedy: "Correct or unset \(variable).")
  }
}
