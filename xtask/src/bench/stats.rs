//! Samples of one measured thing, and the few numbers that are told about them.
//!
//! Minimum and median are quoted because the machines that run this are shared: means and maxima measure
//! the neighbours.

use std::time::Duration;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn add(&mut self, sample: Duration) {
        let position = self.0.partition_point(|known| *known <= sample);
        self.0.insert(position, sample);
    }

    pub(crate) fn append(&mut self, others: &Self) {
        others.0.iter().for_each(|sample| self.add(*sample));
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn min(&self) -> Duration {
        self.percentile(0)
    }

    pub(crate) fn median(&self) -> Duration {
        self.percentile(50)
    }

    /// The smallest sample that at least so many percent of all samples do not exceed.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let rank = (self.0.len() * percent).div_ceil(100);
        self.0.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }

    /// How many times the other's median this median is.
    pub(crate) fn ratio_to(&self, other: &Self) -> f64 {
        self.median().as_secs_f64() / other.median().as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

/// Milliseconds with two digits, as all tables show them.
pub(crate) fn ms(duration: Duration) -> String {
    format!("{:.2}", duration.as_secs_f64() * 1_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(milliseconds: &[u64]) -> Samples {
        let mut samples = Samples::default();
        milliseconds.iter().for_each(|sample| samples.add(Duration::from_millis(*sample)));
        samples
    }

    #[test]
    fn percentiles_are_samples_whatever_the_order() {
        let hundred = samples(&(1..=100).rev().collect::<Vec<_>>());
        assert_eq!(hundred.min(), Duration::from_millis(1));
        assert_eq!(hundred.median(), Duration::from_millis(50));
        assert_eq!(hundred.percentile(99), Duration::from_millis(99));
        assert_eq!(hundred.percentile(100), Duration::from_millis(100));
        assert_eq!(samples(&[]).median(), Duration::ZERO);
    }

    #[test]
    fn ratios_compare_medians() {
        assert_eq!(samples(&[9, 3, 4]).ratio_to(&samples(&[1, 2, 8])), 2.0);
    }
}
