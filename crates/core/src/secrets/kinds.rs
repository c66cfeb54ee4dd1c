//! The kinds of secrets that are known by their shape.

use crate::words;

words! {
    /// What a part of a text looks like.
    pub enum SecretKind as "the kind of secret" {
        /// `-----BEGIN ... PRIVATE KEY-----`, with a key behind it.
        PrivateKey = "private_key",
        /// An access key of Amazon's cloud.
        AwsKey = "aws_key",
        /// A key of Google's cloud.
        GoogleKey = "google_key",
        /// A key of Microsoft's cloud.
        AzureKey = "azure_key",
        /// A token of another cloud or service.
        CloudToken = "cloud_token",
        /// A token of GitHub.
        GithubToken = "github_token",
        /// A token of GitLab.
        GitlabToken = "gitlab_token",
        /// A token of Slack.
        SlackToken = "slack_token",
        /// A token of npm.
        NpmToken = "npm_token",
        /// A token of PyPI.
        PypiToken = "pypi_token",
        /// A token of another registry of packages or images.
        RegistryToken = "registry_token",
        /// A key of OpenAI.
        OpenaiKey = "openai_key",
        /// A key of Anthropic.
        AnthropicKey = "anthropic_key",
        /// A key of another model provider.
        ModelKey = "model_key",
        /// A key of a payment service.
        PaymentKey = "payment_key",
        /// A signed JSON web token.
        JsonWebToken = "json_web_token",
        /// An address with a password in it.
        UrlPassword = "url_password",
        /// `password = ...` and the like.
        Password = "password",
    }
}

impl SecretKind {
    /// With its article, for sentences: "looks like a GitHub token".
    pub fn told(self) -> &'static str {
        match self {
            Self::PrivateKey => "a private key",
            Self::AwsKey => "an AWS key",
            Self::GoogleKey => "a Google key",
            Self::AzureKey => "an Azure key",
            Self::CloudToken => "a service's token",
            Self::GithubToken => "a GitHub token",
            Self::GitlabToken => "a GitLab token",
            Self::SlackToken => "a Slack token",
            Self::NpmToken => "an npm token",
            Self::PypiToken => "a PyPI token",
            Self::RegistryToken => "a registry token",
            Self::OpenaiKey => "an OpenAI key",
            Self::AnthropicKey => "an Anthropic key",
            Self::ModelKey => "a model provider's key",
            Self::PaymentKey => "a payment service's key",
            Self::JsonWebToken => "a JSON web token",
            Self::UrlPassword => "an address with a password",
            Self::Password => "a password",
        }
    }
}
