/// All readers with their inputs.
@MainActor
enum Readers {
  static let all = requests + documents + forms + settings + aspera + policies + stringsToSign
}
