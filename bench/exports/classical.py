"""Models of scikit-learn, for skl2onnx, with made-up data."""
import numpy
from sklearn.cluster import KMeans
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC

CLASSICAL = {
    "sk_logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression()), "sk_forest": lambda: RandomForestClassifier(5, max_depth=4, random_state=0),
    "sk_boosting": lambda: GradientBoostingClassifier(n_estimators=5, random_state=0), "sk_svm": lambda: SVC(probability=False),
    "sk_mlp": lambda: make_pipeline(PolynomialFeatures(), MLPClassifier([16], max_iter=50, random_state=0)), "sk_neighbors": lambda: KNeighborsClassifier(3),
    "sk_means": lambda: KMeans(3, n_init=1, random_state=0), "sk_gaussian_process": lambda: GaussianProcessRegressor(),
}


def data():
    rng = numpy.random.default_rng(3)
    x = rng.normal(size=(60, 6)).astype(numpy.float32)
    return x, (x[:, 0] + x[:, 1] ** 2 > 0.7).astype(numpy.int64)
