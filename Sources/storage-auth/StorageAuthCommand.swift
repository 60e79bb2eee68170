internal import ArgumentParser

/// The command line of swift-storage-auth.
@main
struct StorageAuthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "storage-auth",
    abstract: "Signs for, transfers to, and stands in for Alibaba Cloud OSS and Tencent Cloud COS.",
    discussion: """
      Keys come from the environment: OSS_ACCESS_KEY_ID, OSS_ACCESS_KEY_SECRET and OSS_SESSION_TOKEN, or
      TENCENTCLOUD_SECRET_ID, TENCENTCLOUD_SECRET_KEY and TENCENTCLOUD_TOKEN.
      """,
    subcommands: [
      ServeCommand.self, SignCommand.self, PresignCommand.self, CopyCommand.self, ListCommand.self, RemoveCommand.self,
      MakeBucketCommand.self,
    ])
}
